"""TPU programs without a TPU: the real TPU compiler, run ahead of time in a process of its own."""
