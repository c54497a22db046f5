"""What each opcode does, one table per minor version of CPython. This is the only place that asks for the version."""

from __future__ import annotations

import dis
import sys

from xlapy.frontend.decode import Execute

if sys.version_info >= (3, 14):
    from xlapy.frontend.versions.cp314 import OPCODES
elif sys.version_info >= (3, 13):
    from xlapy.frontend.versions.cp313 import OPCODES
elif sys.version_info >= (3, 12):
    from xlapy.frontend.versions.cp312 import OPCODES
else:
    from xlapy.frontend.versions.cp311 import OPCODES

TABLE: list[Execute | None] = [OPCODES.get(name) for name in dis.opname]
"""By opcode; None for one that is not supported."""
