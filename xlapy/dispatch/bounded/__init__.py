"""Arrays of dynamic length."""
