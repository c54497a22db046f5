"""Machine code in memory: how it is called, and how it gets from one process to another."""
