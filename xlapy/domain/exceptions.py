"""Names in exception objects that mean something to the interpreter and to the host."""

#: the attribute with the notes of an exception
NOTES = "__notes__"
#: in the place of an attribute that an exception does not have
ABSENT = type("Absent", (), {})()
#: among the attributes of an exception whose constructor the program has run: it does not run again
INITIALISED = "__init__"
