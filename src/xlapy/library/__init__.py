"""What Python and its libraries have in C, in plain Python: interpreted like any function that a program calls. Nothing
here imports the compiler."""
