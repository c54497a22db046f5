"""Python's object model, operators, built-in functions, texts and exceptions."""
