"""A scanner of tags in SGML and XML, closed or not, on one line or on many.

It is not a parser: it knows neither the nesting of elements nor the meaning of names, builds no tree, follows no
reference out of the file, and reads every character a bounded number of times.
"""

import re
from collections.abc import Iterator
from html.entities import html5
from typing import Final, NamedTuple

from webapp.importers.bank_files import FileRefusedError

# Enough for a hundred thousand lines with all possible fields.
MAX_TAGS: Final = 1_500_000

# Possessive quantifiers: a tag that never ends fails at once and is not retried from each of its letters.
_TAG: Final = re.compile(
    r"<(?:(?P<close>/?)(?P<name>[A-Za-z_][\w.:-]*+)(?:[\s/][^<>]*+)?+>"
    r"|(?P<comment>!--)|(?P<cdata>!\[CDATA\[)|(?P<declaration>![A-Za-z])|\?[A-Za-z][^<>]*+>)"
)
_END_OF_COMMENT: Final = "-->"
_END_OF_CDATA: Final = "]]>"
_REFERENCE: Final = re.compile(
    r"&(?:#(?P<decimal>\d{1,7})|#[xX](?P<hex>[0-9A-Fa-f]{1,6})|(?P<name>\w{2,32}));"
)
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")


class Tag(NamedTuple):
    """An opening or a closing tag with the text that follows it.

    `name` is in upper case, `value` without control characters and outer white space; `offset` is the tag's
    position in the text.
    """

    name: str
    value: str
    offset: int
    closes: bool = False


def tags(text: str) -> Iterator[Tag]:
    """Yield the tags of a text in their order, without comments and with character references resolved.

    >>> [tag[:2] for tag in tags("<A><B>1 &amp; 2<C>x<!-- y --></C></A>") if not tag.closes]
    [('A', ''), ('B', '1 & 2'), ('C', 'x')]

    Raises FileRefusedError for a document type, for a text that is cut off, and for more tags than MAX_TAGS.
    """
    if text.count("<") > MAX_TAGS:
        raise FileRefusedError(f"The file has more than {MAX_TAGS:,} tags; export it in shorter periods.")
    name, closes, begin = "", False, 0
    parts: list[str] = []
    position = 0
    while found := _TAG.search(text, position):
        start, end = found.span()
        if name:
            parts.append(unescaped(text[position:start]))
        # OFX 2 allows a namespace on its elements, which does not change the meaning of their names.
        plain, position = (found["name"] or "").rpartition(":")[2].upper(), end
        if not plain:
            position = _skipped(text, found)
            if found["cdata"]:
                parts.append(text[end : position - len(_END_OF_CDATA)])
            continue
        if name:
            yield Tag(name, _value(parts), begin, closes)
        parts.clear()
        name, begin, closes = plain, start, bool(found["close"])
        if not closes and text[end - 2] == "/":
            yield Tag(name, "", begin)
            closes = True
    if name:
        parts.append(unescaped(text[position:]))
        yield Tag(name, _value(parts), begin, closes)


def _skipped(text: str, found: re.Match[str]) -> int:
    """Return the position behind markup that is no tag; raises FileRefusedError for a document type."""
    if found["declaration"]:
        raise FileRefusedError(
            "The file has a document type declaration, which bank files never have; it was not read."
        )
    if not (found["comment"] or found["cdata"]):
        return found.end()
    mark = _END_OF_COMMENT if found["comment"] else _END_OF_CDATA
    return _end(text, found.end(), mark) + len(mark)


def _end(text: str, start: int, mark: str) -> int:
    """Return the position at which a comment or a CDATA section ends."""
    end = text.find(mark, start)
    if end < 0:
        raise FileRefusedError(
            f"The file is cut off: a passage that should end with {mark} has no end; download it again."
        )
    return end


def unescaped(text: str) -> str:
    r"""Resolve character references, and keep text that only looks like one.

    >>> unescaped("R&D, AT&T &amp; Joe&#039;s &lt;b&gt; &copy2; &#0; &xxe;")
    "R&D, AT&T & Joe's <b> &copy2; \ufffd &xxe;"
    """
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(found: re.Match[str]) -> str:
    if name := found["name"]:
        return html5.get(f"{name};", found[0])
    code = int(found["decimal"]) if found["decimal"] else int(found["hex"], 16)
    is_character = 0 < code < 0xD800 or 0xE000 <= code <= 0x10FFFF  # noqa: PLR2004
    return chr(code) if is_character else "\ufffd"


def _value(parts: list[str]) -> str:
    return _CONTROLS.sub("", "".join(parts)).strip()
