"""Programs run by CPython and by xlapy, and compared: the meaning of the compiler, by example.

- `runner`: `check(f, *args)` and the tables of programs; read its docstring before you add a program.
- `world`: what a program can see and change, copied with its aliases and put back.
- `compare`: what counts as the same answer.
- `test_<subject>`: one table of plain functions for each subject; `test_peers` has those of the other compilers,
  `test_kernels` whole small programs, `test_refusals` what must not compile, `tests/fuzz` random programs,
  `test_runner` the runner's own tests.
- `pending.txt`: programs that are not right yet, as strict xfails; `python -m tests.semantics.update_pending -n 2`
  rewrites it. A wrong answer can not be listed.

XLAPY_SEMANTICS_REFERENCE_ONLY=1 runs CPython only,
XLAPY_SEMANTICS_PENDING=0 ignores the list, XLAPY_SEMANTICS_TIME_LIMIT sets the seconds a call may take.
"""
