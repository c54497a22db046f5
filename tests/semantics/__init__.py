"""Programs run by CPython and by xlapy, and compared: the meaning of the compiler, by example."""
