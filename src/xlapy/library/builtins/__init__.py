"""What Python has in C, in Python: methods of containers, iterators, and functions that go through them."""
