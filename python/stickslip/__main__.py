"""The command line: ``stickslip`` and ``python -m stickslip``."""

import sys

from . import _native


def main() -> None:
    """Does what the arguments say, and ends with the exit code of the command."""
    sys.stdout.flush()
    sys.exit(_native.command(["stickslip", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
