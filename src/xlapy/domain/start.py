"""When xlapy was imported: a file of ours that was changed later is not what this process runs."""

import time

#: nanoseconds since the epoch
IMPORTED = time.time_ns()
