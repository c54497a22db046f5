"""Rules for functions of SciPy, a file for each of its subpackages: read where a program can name it."""
