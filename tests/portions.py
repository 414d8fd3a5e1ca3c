"""Taking a part of many things so that all of them have their turn over many places."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def every(step: int, things: Sequence, index: int) -> Sequence:
    """Take each of the things at some place in turn, and at each place every so-manieth of them.

    >>> every(2, "abcd", 0), every(2, "abcd", 1), every(1, "abcd", 7)
    ('ac', 'bd', 'abcd')
    """
    return things[index % step :: step]
