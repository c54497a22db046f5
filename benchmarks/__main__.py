"""`python -m benchmarks`."""

from benchmarks.cli import entry
from benchmarks.lent import main

if __name__ == "__main__":
    entry(main)
