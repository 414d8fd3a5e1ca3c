"""XML of any size and from anybody, record by record: no document type, no entity, nothing outside the file.

Python's own expat reads it. A document type is refused where it begins, so that there is nothing an entity
could be declared in; no handler fetches anything; and only one record of the file is held at a time.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from xml.parsers import expat

from webapp.importers.bank_files import FileRefusedError
from webapp.importers.texts import MAX_TEXT

# Room for a hundred thousand lines with every field there is.
MAX_TAGS: Final = 5_000_000
# A record costs more than a tag within it; five seconds are what the most of both may take.
MAX_RECORDS: Final = 600_000
# An account, a balance or an entry has dozens of values; a batch entry has as many parts as it has payments,
# and what is left out of a larger one is text that no line would show: it stays one line.
_MAX_VALUES: Final = 50_000
_MAX_DEPTH: Final = 100
_MAX_TAG: Final = 512 * 1024
_MAX_NAMES: Final = 5
_FORBIDDEN: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_ENDS_EARLY: Final = frozenset(
    {3, 5, 6, 20}
)  # expat's codes for no element, a token, a character, CDATA cut off


@dataclass(slots=True)
class Record:
    """An element with the texts in it by their path, Tp/CdOrPrtry/Cd; an attribute's path is Amt@Ccy.

    Names are without namespace, white space is folded, empty texts are left out. `parts` are the elements
    within it that repeat as wholes, `line` is the line of the file it begins on.
    """

    name: str
    line: int = 0
    fields: dict[str, list[str]] = field(default_factory=dict)
    parts: "list[Record]" = field(default_factory=list)

    def values(self, *paths: str) -> list[str]:
        """Give the texts at the paths."""
        return [text for path in paths for text in self.fields.get(path, ())]

    def value(self, *paths: str) -> str | None:
        """Give the first text there is at any of the paths."""
        return next((texts[0] for path in paths if (texts := self.fields.get(path))), None)


class Event(NamedTuple):
    """A container begins (`starts`), one of its children is whole, or the container itself has ended (`ends`)."""

    record: Record
    starts: bool = False
    ends: bool = False


class Records:
    """The records of a file as they come by, held no longer than each is needed."""

    def __init__(self, pieces: Iterable[str], containers: Collection[str], *, within: str, part: str) -> None:
        """Read `pieces` of text: the children of each of `containers` that stands right in a `within…`.

        An element named `part` in such a child is a part of it.
        """
        self.names: list[str] = []
        self._pieces = pieces
        self._containers = containers
        self._within = within
        self._part_name = part
        self._open: list[str] = []
        self._container = 0
        self._record = Record("")
        self._part: Record | None = None
        self._paths: list[str] = []
        self._left = self._records = 0
        self._text = ""
        self._ready: list[Event] = []
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse_document_type
        self._look_out()

    def __iter__(self) -> Iterator[Event]:
        """Give the containers' beginnings, children and ends; `names` then has the first names of the file.

        Raises FileRefusedError for what is no XML, is cut off, declares a document type or has no end.
        """
        fed = tags = 0
        for piece in self._pieces:
            text = _FORBIDDEN.sub("", piece)
            # Some systems put an empty line before the declaration.
            text = text if fed else text.lstrip()
            tags += text.count("<")
            if tags > MAX_TAGS:
                raise FileRefusedError(
                    f"The file has more than {MAX_TAGS:,} tags; export it in shorter periods."
                )
            fed += len(text.encode())
            self._feed(text)
            if fed - self._parser.CurrentByteIndex > _MAX_TAG:
                raise FileRefusedError("The file has a tag that never ends; it is damaged.")
            yield from self._taken()
        self._feed("", final=True)
        yield from self._taken()

    def _taken(self) -> list[Event]:
        taken, self._ready = self._ready, []
        return taken

    def _feed(self, text: str, *, final: bool = False) -> None:
        try:
            self._parser.Parse(text, final)
        except expat.ExpatError as error:
            if final and error.code in _ENDS_EARLY:
                raise FileRefusedError("The file breaks off before its end; download it again.") from None
            reason = expat.errors.messages.get(error.code, "not well-formed")
            raise FileRefusedError(
                f"Line {error.lineno:,} of the file is no XML ({reason}); it is damaged, download it again."
            ) from None

    def _refuse_document_type(self, *_declared: object) -> None:
        raise FileRefusedError("The file has a document type declaration, as no bank's has; it was not read.")

    def _look_out(self) -> None:
        """Go on outside of any record."""
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = None

    def _look_in(self, record: Record) -> None:
        """Go on within a record."""
        self._record, self._paths, self._left = record, [""], _MAX_VALUES
        self._parser.StartElementHandler = self._start_within
        self._parser.EndElementHandler = self._end_within
        self._parser.CharacterDataHandler = self._take_text

    def _start(self, tag: str, _attributes: dict[str, str]) -> None:
        name = _plain(tag)
        if len(self.names) < _MAX_NAMES:
            self.names.append(name)
        if self._container:
            self._records += 1
            if self._records > MAX_RECORDS:
                raise FileRefusedError(
                    f"The file has more than {MAX_RECORDS:,} entries and balances; export it in shorter periods."
                )
            self._look_in(Record(name, self._parser.CurrentLineNumber))
            return
        if name in self._containers and self._open and self._open[-1].startswith(self._within):
            self._container = len(self._open) + 1
            self._ready.append(Event(Record(name), starts=True))
        self._open.append(name)
        if len(self._open) > _MAX_DEPTH:
            raise _too_deep()

    def _end(self, _tag: str) -> None:
        name = self._open.pop()
        if self._container > len(self._open):
            self._container = 0
            self._ready.append(Event(Record(name), ends=True))

    def _start_within(self, tag: str, attributes: dict[str, str]) -> None:
        name = _plain(tag)
        self._text = ""
        if name == self._part_name and not self._part:
            self._part = Record(name)
            if self._left > 0:
                self._record.parts.append(self._part)
            self._paths.append("")
            return
        path = f"{around}/{name}" if (around := self._paths[-1]) else name
        self._paths.append(path)
        for attribute, value in attributes.items():
            self._keep(f"{path}@{attribute}", value)
        if len(self._paths) > _MAX_DEPTH:
            raise _too_deep()

    def _end_within(self, _tag: str) -> None:
        path = self._paths.pop()
        if path:
            if self._text:
                self._keep(path, self._text)
        elif self._paths:
            self._part = None
        else:
            self._ready.append(Event(self._record))
            self._look_out()
        self._text = ""

    def _keep(self, path: str, text: str) -> None:
        folded = " ".join(text.split())
        if folded and self._left > 0:
            self._left -= 1
            (self._part or self._record).fields.setdefault(path, []).append(folded)

    def _take_text(self, data: str) -> None:
        if len(self._text) < MAX_TEXT:
            self._text += data[:MAX_TEXT]


def _plain(tag: str) -> str:
    """A name without the prefix of its namespace."""
    return tag.rpartition(":")[2] if ":" in tag else tag


def _too_deep() -> FileRefusedError:
    return FileRefusedError("The file's elements are nested deeper than any bank's; it is damaged.")
