"""Python's numbers: operators, methods, `math`, `cmath`, `random`."""
