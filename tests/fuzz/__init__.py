"""Random small programs, as source text: CPython's answer, or a refusal; never another answer, never a crash.

python -m tests.fuzz --examples 2000        # a long run, with a table of what is refused and why
"""
