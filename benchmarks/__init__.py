"""The benchmark harness: `python -m benchmarks --help`.

The files in the order data takes: `cli` reads the command line into a `plan`; `suites` turns it into cases; `race`
runs the peers of a case against each other with `measure`; each gives `results`; `report` writes them; `compare` sets
two runs side by side."""

import os

# What a first call takes is what it takes to compile: nothing comes from disk.
os.environ.setdefault("XLAPY_CACHE", "0")
