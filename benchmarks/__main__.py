"""`python -m benchmarks`."""

from benchmarks.cli import entry

if __name__ == "__main__":
    entry()
