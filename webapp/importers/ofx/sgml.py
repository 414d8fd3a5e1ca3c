"""Tags as banks write them: SGML and XML alike, closed or not, on one line or on many.

A scanner and no parser: it knows neither which element may stand in which nor what a name means, keeps no
tree, follows no reference out of the file, and looks at every character a bounded number of times.
"""

import re
from collections.abc import Iterator
from html.entities import html5
from typing import Final, NamedTuple

from webapp.importers.bank_files import FileRefusedError

# Room for a hundred thousand lines with every field there is.
MAX_TAGS: Final = 1_500_000

# Possessive throughout: a tag that never ends is given up at once, not retried from each of its letters.
_TAG: Final = re.compile(
    r"<(?:(?P<close>/?)(?P<name>[A-Za-z_][\w.:-]*+)(?:[\s/][^<>]*+)?+>"
    r"|(?P<comment>!--)|(?P<cdata>!\[CDATA\[)|(?P<declaration>![A-Za-z])|\?[A-Za-z][^<>]*+>)"
)
_REFERENCE: Final = re.compile(
    r"&(?:#(?P<decimal>\d{1,7})|#[xX](?P<hex>[0-9A-Fa-f]{1,6})|(?P<name>\w{2,32}));"
)
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")


class Tag(NamedTuple):
    """An opening tag with the text that follows it, or a closing one.

    `name` is in upper case, `value` without control characters and outer white space; `offset` is where
    the tag stands in the text.
    """

    name: str
    value: str
    offset: int
    closes: bool = False


def tags(text: str) -> Iterator[Tag]:
    """Give the tags of a text in their order, comments taken out and references resolved.

    >>> [tag[:2] for tag in tags("<A><B>1 &amp; 2<C>x<!-- y --></C></A>") if not tag.closes]
    [('A', ''), ('B', '1 & 2'), ('C', 'x')]

    Raises FileRefusedError for a document type, for what is cut off, and for more tags than MAX_TAGS.
    """
    if text.count("<") > MAX_TAGS:
        raise FileRefusedError(f"The file has more than {MAX_TAGS:,} tags; export it in shorter periods.")
    opened: _Mark | None = None
    parts: list[str] = []
    position = 0
    for mark in _marks(text):
        if opened:
            parts.append(unescaped(text[position : mark.start]))
        position = mark.end
        if not mark.name:
            parts.append(mark.quoted)
            continue
        if opened:
            yield Tag(opened.name, _value(parts), opened.start)
        opened = None if mark.closes or mark.empty else mark
        parts.clear()
        if not opened:
            if mark.empty:
                yield Tag(mark.name, "", mark.start)
            yield Tag(mark.name, "", mark.start, closes=True)
    if opened:
        parts.append(unescaped(text[position:]))
        yield Tag(opened.name, _value(parts), opened.start)


class _Mark(NamedTuple):
    """A piece of markup from `start` to `end`: a tag by its name, or a nameless one with the text it quotes."""

    start: int
    end: int
    name: str = ""
    closes: bool = False
    empty: bool = False
    quoted: str = ""


def _marks(text: str) -> Iterator[_Mark]:
    """Give every piece of markup; what lies between them is text."""
    position = 0
    while found := _TAG.search(text, position):
        start, position = found.span()
        if name := found["name"]:
            closes = bool(found["close"])
            # OFX 2 allows a namespace on its elements; their names mean the same with and without.
            plain = name.rpartition(":")[2].upper()
            yield _Mark(start, position, plain, closes, empty=not closes and text[position - 2] == "/")
        elif found["declaration"]:
            raise FileRefusedError(
                "The file has a document type declaration, as no bank's has; it was not read."
            )
        elif found["comment"] or found["cdata"]:
            end = _end(text, position, "-->" if found["comment"] else "]]>")
            quoted = text[position:end] if found["cdata"] else ""
            position = end + 3
            yield _Mark(start, position, quoted=quoted)
        else:
            yield _Mark(start, position)


def _end(text: str, start: int, mark: str) -> int:
    """Where a comment or a quoted passage ends."""
    end = text.find(mark, start)
    if end < 0:
        raise FileRefusedError(
            f"The file breaks off: a passage that ends in {mark} is never ended; download it again."
        )
    return end


def unescaped(text: str) -> str:
    r"""Resolve references to characters, and leave alone what only looks like one.

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
