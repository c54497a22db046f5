"""NumPy's and CPython's own tests, run through xlapy: `python -m tests.conformance --help`.

Each call of a public function or array method, each operator and each subscript in a test module that is installed with
them goes through a compiled function of one call as well, and is compared with what NumPy and CPython did.
"""

import os

# Programs are compiled, not found on disk.
os.environ.setdefault("XLAPY_CACHE", "0")
