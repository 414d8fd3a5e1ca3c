"""Texts that are safe to export: without control characters, and with apostrophes before what looks like a formula."""

import re
from typing import Final

# C0 but for tab and line ends, DEL and C1; embeddings, overrides and isolates that turn a direction. Joiners and the
# marks of a direction belong to honest texts.
_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# What begins a formula, also in the forms that Unicode holds for compatible with it (NFKC).
SIGNS: Final = (
    "=+@\\-\ufb29\uff0b\ufe62\u207a\u208a\ufe63\uff0d\uff1d\ufe66\u207c\u208c\uff20\ufe6b\u2a75\u2a76"
)
# What programs skip before a formula, and the quotes that a reader with another separator drops or keeps at will.
_SKIPPED: Final = "[ \u00a0\u3000\"']*"
# A cell begins where the text does, and behind whatever some country or program separates cells and rows by. There
# also the end of the text counts: what follows it in the file would become the beginning of a cell.
_BEGINNINGS: Final = (
    rf"^(?={{guard}}{_SKIPPED}[{SIGNS}\t\r\n\0])"
    rf"|(?:\r\n|[;|\t\r\n])(?={{guard}}{_SKIPPED}(?:[{SIGNS}\t\0]|\Z))"
)
_UNGUARDED: Final = re.compile(_BEGINNINGS.format(guard=""))
_GUARDED: Final = re.compile(f"({_BEGINNINGS.format(guard=chr(39))})'")


def without_controls(text: str) -> str:
    r"""Write control characters as their code points, as pages do.

    >>> without_controls("\x1b]0;owned\x07Rent"), without_controls("Refund \u202e00.5"), without_controls("a\tb\n")
    ('⟨001B⟩]0;owned⟨0007⟩Rent', 'Refund ⟨202E⟩00.5', 'a\tb\n')
    """
    return text if text.isascii() and text.isprintable() else _CONTROLS.sub(_written, text)


def _written(found: re.Match[str]) -> str:
    return f"⟨{ord(found[0]):04X}⟩"


def guarded(text: str) -> str:
    r"""Put an apostrophe before each possible formula in a text, also behind `;`, `|`, a tab or a line end.

    >>> [guarded(text) for text in ("=1+1", "  @SUM(A1)", "\uff1dcmd", "-12.50", "Rent", "'=1", 'a;b;"=1', "Fee; \t")]
    ["'=1+1", "'  @SUM(A1)", "'\uff1dcmd", "'-12.50", 'Rent', "''=1", 'a;b;\'"=1', "Fee;' \t'"]
    """
    return _UNGUARDED.sub(r"\g<0>'", text)


def unguarded(text: str) -> str:
    """Remove the apostrophes that `guarded` put into a text, and no others.

    >>> [unguarded(text) for text in ("'=1+1", "''=1", "'a'", "a;'=1", "1'000.00")]
    ['=1+1', "'=1", "'a'", 'a;=1', "1'000.00"]
    """
    return _GUARDED.sub(r"\1", text) if "'" in text else text
