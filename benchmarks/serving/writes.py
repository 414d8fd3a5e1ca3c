"""The rows of acts, which change the books that they are measured on: one line pushed, and a line confirmed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from benchmarks.serving.rows import Row

WRITES: Final[tuple[Row, ...]] = ()
