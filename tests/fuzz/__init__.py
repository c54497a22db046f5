"""Random small programs, as source text: CPython's answer, or a refusal; never another answer, never a crash.

python -m tests.fuzz --examples 2000        # a long run, with a table of what is refused and why
"""

import os

# Programs are compiled, not found on disk.
os.environ.setdefault("XLAPY_CACHE", "0")
