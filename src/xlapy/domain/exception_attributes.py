"""What exception objects have beside their arguments: names that mean something to the interpreter and to the host."""

from __future__ import annotations

import types
from typing import Any

#: the attribute with the notes of an exception
NOTES = "__notes__"
#: in the place of an attribute that an exception does not have
ABSENT = type("Absent", (), {})()
#: among the attributes of an exception whose constructor the program has run: it does not run again
INITIALISED = "__init__"


def own_attributes(error: BaseException) -> dict[str, Any]:
    """The attributes of an exception that classes of Python code have given it, or its `name`."""
    found = dict(vars(error))
    for cls in type(error).__mro__:
        for name, entry in cls.__dict__.items():
            if isinstance(entry, types.MemberDescriptorType) and hasattr(error, name):
                value = getattr(error, name)
                if cls.__module__ != "builtins" or name == "name" and value is not None:
                    found.setdefault(name, value)
    return found
