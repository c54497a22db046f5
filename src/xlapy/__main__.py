"""`python -m xlapy`."""

import sys

from xlapy.command_line import main

if __name__ == "__main__":
    sys.exit(main())
