"""Registers every rule of Python's own types, built-ins and standard library."""

from xlapy.dispatch import dict_rules, list_rules, ranges, scalars, set_rules, strings

__all__ = ["dict_rules", "list_rules", "ranges", "scalars", "set_rules", "strings"]
