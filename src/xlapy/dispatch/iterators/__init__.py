"""Iterators, generators and itertools."""
