"""Walks structured programs over abstract values: frames, calls, branches, loops, exceptions."""
