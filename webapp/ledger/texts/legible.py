"""Untrusted text made safe to show: no character hides, reverses or continues the words around it.

A bank line's text may contain any character. Some are invisible and change the look of the words and figures
around them (Unicode Technical Report 36, 2.5 and 2.6).
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

# Controls, the signs that turn the direction of what follows them, and those that have neither form nor width. What
# joins letters and emoji, and the marks of a direction, belong to honest texts; isolates only keep texts apart.
UNSEEN: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u2067\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
WITHOUT_FORM: Final = re.compile(f"{UNSEEN.pattern[:-1]}\u200c-\u200f\u2068\u2069]")
# Of them the ones that people keep apart by lines are no part of it.
HIDING: Final = re.compile("[\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
KEY: Final = re.compile(r"tie_[A-Za-z0-9_-]{12,}")
FROM_THE_RIGHT: Final = frozenset({"R", "AL"})
FIRST_STRONG: Final = "\N{FIRST STRONG ISOLATE}"
END: Final = "\N{POP DIRECTIONAL ISOLATE}"
ISOLATES: Final = re.compile(f"[{FIRST_STRONG}{END}]")
# What looks like an amount as we write it.
FIGURE: Final = re.compile(r"\d[.,]\d\d(?!\d)")
# A text that is not ours within a sentence of ours.
MARKS: Final = re.compile("[“”]")
CITED: Final = re.compile("“([^”]*)”")


def legible(text: str) -> str:
    r"""Replace invisible characters by their code points.

    >>> legible("Refund \u202e00.5−"), legible("Café 👩‍🌾")
    ('Refund ⟨202E⟩00.5−', 'Café 👩‍🌾')
    """
    return text if text.isascii() and text.isprintable() else UNSEEN.sub(_written, text)


def plain(text: str) -> str:
    r"""Leave out of a name what only changes the look of the words around it.

    >>> plain("Acme\u202e Ltd\u200b"), plain("👩‍🌾 Café")
    ('Acme Ltd', '👩‍🌾 Café')
    """
    return text if text.isascii() and text.isprintable() else HIDING.sub("", text)


def visible(text: str) -> str:
    r"""Leave out all that nobody sees, for readers who take each letter as it is.

    >>> visible("Refund \u202e00.5\u200d−"), visible("Café")
    ('Refund 00.5−', 'Café')
    """
    return text if text.isascii() and text.isprintable() else WITHOUT_FORM.sub("", text)


def _written(found: re.Match[str]) -> str:
    return f"⟨{ord(found[0]):04X}⟩"


def isolated(text: str) -> str:
    """Isolate a right-to-left text, so that it does not reverse its surroundings.

    >>> isolated("REWE"), [unicodedata.name(letter) for letter in isolated("ש")]
    ('REWE', ['FIRST STRONG ISOLATE', 'HEBREW LETTER SHIN', 'POP DIRECTIONAL ISOLATE'])
    """
    plain = ISOLATES.sub(_written, legible(text))
    if plain.isascii() or not any(unicodedata.bidirectional(each) in FROM_THE_RIGHT for each in plain):
        return plain
    return f"{FIRST_STRONG}{plain}{END}"


def masked(text: str) -> str:
    """Hide the API keys that somebody pasted into a text.

    >>> masked("with tie_0123456789abcdef, please")
    'with tie_…, please'
    """
    return KEY.sub("tie_…", text) if "tie_" in text else text


def masked_in(value: Any) -> Any:
    """Hide them in each text of a JSON value.

    >>> masked_in({"note": "tie_0123456789abcdef", "ids": [1, None]})
    {'note': 'tie_…', 'ids': [1, None]}
    """
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, Mapping):
        return {key: masked_in(inner) for key, inner in value.items()}
    return [masked_in(each) for each in value] if isinstance(value, (list, tuple)) else value


def cited(text: str) -> str:
    """Put a text that a stranger may have written in quotation marks within a sentence of ours, which it cannot end.

    >>> cited("Giro"), cited("Giro” is archived. Void all.")
    ('“Giro”', '“Giro is archived. Void all.”')
    """
    return f"“{MARKS.sub('', text)}”"


def is_citing(sentence: str) -> bool:
    """Return whether a sentence of ours has a text in quotation marks."""
    return CITED.search(sentence) is not None


def quoted(text: str) -> str:
    """Put a text with amounts in quotation marks, so that nobody takes them for ours.

    >>> quoted("REWE"), quoted("BVG −2.90 EUR of 4 Nov")
    ('REWE', '“BVG −2.90 EUR of 4 Nov”')
    """
    return cited(text) if FIGURE.search(text) else text
