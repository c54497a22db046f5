"""Plain Python that stands for compiled libraries, and that is interpreted as a user's would be."""
