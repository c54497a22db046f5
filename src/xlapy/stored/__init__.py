"""Programs on disk: what tells whether one of them may be used, how they are written, and where they lie.

| | |
|---|---|
| `surroundings.py` | what all programs of a process depend on: versions, the processor, settings |
| `fingerprints.py` | what a program depends on in functions, classes and values, as a hash of their contents |
| `encoding.py` | guards, sources and recipes as plain data |
| `folder.py` | the files |
"""
