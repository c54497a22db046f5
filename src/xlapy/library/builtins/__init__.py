"""Methods and operators of Python's containers, for those whose length or keys depend on data."""
