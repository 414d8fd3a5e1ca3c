"""Characters that no export repeats: they command a terminal, or reverse the words behind them."""

from __future__ import annotations

import re
from typing import Final

# C0 but for tab and line ends, DEL and C1; embeddings, overrides and isolates that turn a direction. Joiners and the
# marks of a direction belong to honest texts.
_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def without_controls(text: str) -> str:
    r"""Write control characters as their code points, as pages do.

    >>> without_controls("\x1b]0;owned\x07Rent"), without_controls("Refund \u202e00.5"), without_controls("a\tb\n")
    ('⟨001B⟩]0;owned⟨0007⟩Rent', 'Refund ⟨202E⟩00.5', 'a\tb\n')
    """
    return text if text.isascii() and text.isprintable() else _CONTROLS.sub(_written, text)


def _written(found: re.Match[str]) -> str:
    return f"⟨{ord(found[0]):04X}⟩"
