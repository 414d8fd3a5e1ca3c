"""File names of uploads, made safe to show, store and save."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

LONGEST: Final = 120
NAMELESS: Final = "document"

# What no system takes in a name, or takes for something else.
_FORBIDDEN: Final = re.compile(r'[<>:"|?*]')
# Control characters, invisible ones that turn the order of letters round, lone surrogates, line ends, private ones.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


def cleaned(name: str, endings: Sequence[str] = ()) -> str:
    r"""Return a name without folders, invisible characters and marks that reverse letters.

    With `endings` it gets one of them, the first by default: a file is saved as its kind.

    >>> cleaned("../../etc/passwd"), cleaned("C:\\temp\\Bill 3.PDF", [".pdf"])
    ('passwd', 'Bill 3.PDF')
    >>> cleaned("bill\u202efdp.exe", [".pdf"]), cleaned("page.html", [".txt"]), cleaned(" \x00.. ")
    ('billfdp.exe.pdf', 'page.html.txt', 'document')
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    visible = "".join(letter for letter in last if unicodedata.category(letter) not in _UNSEEN)
    plain = " ".join(_FORBIDDEN.sub("_", visible).split()).strip(". ") or NAMELESS
    if _DEVICE.fullmatch(plain):
        plain = f"_{plain}"
    if not endings:
        return _short(plain)
    stem, dot, ending = plain.rpartition(".")
    if dot and f".{ending.lower()}" in endings:
        return _short(stem) + dot + ending
    return _short(plain) + endings[0]


def _short(text: str) -> str:
    return text[:LONGEST].rstrip(". ") or NAMELESS
