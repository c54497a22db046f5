"""Third-party code compiled from its own bytecode: the answer is the library's own, or the refusal says precisely why.

Each file has the cases of one library. `python -m tests.libraries` writes `docs/coverage-of-libraries.md` from them.
"""
