"""Run tests of the data layer on a cluster that scripts/citus/cluster.sh has started, and print what came of them.

    scripts/citus/cluster.sh up
    python -m scripts.citus [TEST ...]

Words that follow are for pytest; without a file or folder it runs what it chooses, in about a quarter of an hour.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest

# What a database can do differently is in the data layer; what is above it asks the same questions.
CHOSEN: Final = ("tests/services", "tests/queries", "tests/test_db.py")
OPTIONS: Final = ("-p", "scripts.citus.cluster", "--turn", "both", "-k", "postgresql", "-q")


def main() -> int:
    """Run the tests that were named, or those that are chosen here; answers pytest's exit status."""
    words = sys.argv[1:]
    is_chosen = any(Path(word.partition("::")[0]).exists() for word in words)
    return pytest.main([*OPTIONS, *words, *([] if is_chosen else CHOSEN)])


if __name__ == "__main__":
    sys.exit(main())
