"""What a call of a compiled function does: specialisations, guards, arguments, results and changes."""
