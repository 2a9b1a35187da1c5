"""The command ``tertium``, and ``python -m tertium``."""

import sys

from . import _check  # noqa: F401  (the solver's library is looked for beside the package)
from . import _tertium


def main() -> int:
    """Does what was typed and returns the exit code."""
    words = ["tertium", *sys.argv[1:]]
    return _tertium.main(words, [sys.executable, "-m", "tertium"])


if __name__ == "__main__":
    sys.exit(main())
