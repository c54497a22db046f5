"""Python's containers: lists, tuples, dicts, sets, ranges, and what is sorted."""
