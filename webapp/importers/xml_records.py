"""A streaming reader of untrusted XML, record by record: only one record of the file is in memory at a time."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from webapp.importers.bank_files import FileRefusedError
from webapp.importers.texts import MAX_TEXT
from webapp.importers.xml_feeding import feed, new_parser

# A record costs more time than a tag.
MAX_RECORDS: Final = 300_000
# An account, a balance or an entry has dozens of values; a batch entry has as many parts as payments. Values
# beyond the limit are left out, which no line would show anyway: a batch of that size stays one line.
_MAX_VALUES: Final = 50_000
_MAX_DEPTH: Final = 100
_MAX_NAMES: Final = 5


@dataclass(slots=True)
class XmlRecord:
    """An element with its texts by path (Tp/CdOrPrtry/Cd); the path of an attribute is Amt@Ccy.

    Names are without namespace, white space is folded, empty texts are left out. `parts` are the repeated
    elements within it, `line` is the line of the file on which it begins.
    """

    name: str
    line: int = 0
    fields: dict[str, list[str]] = field(default_factory=dict)
    parts: "list[XmlRecord]" = field(default_factory=list)

    def values(self, *paths: str) -> list[str]:
        """Return the texts at the paths."""
        return [text for path in paths for text in self.fields.get(path, ())]

    def value(self, *paths: str) -> str | None:
        """Return the first text at any of the paths."""
        fields = self.fields
        for path in paths:
            if texts := fields.get(path):
                return texts[0]
        return None


class XmlEvent(NamedTuple):
    """The start of a container (`starts`), one of its children, complete, or the end of the container (`ends`)."""

    record: XmlRecord
    starts: bool = False
    ends: bool = False


class XmlRecords:
    """The records of a file, each kept only while it is needed."""

    def __init__(self, pieces: Iterable[str], containers: Collection[str], *, within: str, part: str) -> None:
        """Read `pieces` of text: the children of each of `containers` whose parent's name begins with `within`.

        An element named `part` in such a child becomes one of its parts.
        """
        self.names: list[str] = []
        self._pieces = pieces
        self._containers = containers
        self._within = within
        self._part_name = part
        self._open: list[str] = []
        self._container = 0
        self._record = XmlRecord("")
        self._part: XmlRecord | None = None
        self._paths: list[str] = []
        self._left = self._records = 0
        self._text = ""
        self._ready: list[XmlEvent] = []
        self._parser = new_parser()
        self._leave_record()

    def __iter__(self) -> Iterator[XmlEvent]:
        """Yield the starts, children and ends of the containers; `names` then has the file's first element names.

        Raises FileRefusedError for text that is not XML, is cut off, declares a document type or has no end.
        """
        for _piece in feed(self._parser, self._pieces):
            yield from self._drained()

    def _drained(self) -> list[XmlEvent]:
        events, self._ready = self._ready, []
        return events

    def _leave_record(self) -> None:
        """Switch to the handlers for tags outside records."""
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = None

    def _enter_record(self, record: XmlRecord) -> None:
        """Switch to the handlers for tags and text within a record."""
        self._record, self._paths, self._left = record, [""], _MAX_VALUES
        self._parser.StartElementHandler = self._start_within
        self._parser.EndElementHandler = self._end_within
        self._parser.CharacterDataHandler = self._add_characters

    def _start(self, tag: str, _attributes: dict[str, str]) -> None:
        name = local_name(tag)
        if len(self.names) < _MAX_NAMES:
            self.names.append(name)
        if self._container:
            self._records += 1
            if self._records > MAX_RECORDS:
                raise FileRefusedError(
                    f"The file has more than {MAX_RECORDS:,} entries and balances; export it in shorter periods."
                )
            self._enter_record(XmlRecord(name, self._parser.CurrentLineNumber))
            return
        if name in self._containers and self._open and self._open[-1].startswith(self._within):
            self._container = len(self._open) + 1
            self._ready.append(XmlEvent(XmlRecord(name), starts=True))
        self._open.append(name)
        if len(self._open) > _MAX_DEPTH:
            raise _too_deep()

    def _end(self, _tag: str) -> None:
        name = self._open.pop()
        if self._container > len(self._open):
            self._container = 0
            self._ready.append(XmlEvent(XmlRecord(name), ends=True))

    def _start_within(self, tag: str, attributes: dict[str, str]) -> None:
        name = local_name(tag) if ":" in tag else tag
        self._text = ""
        paths = self._paths
        if name == self._part_name and not self._part:
            self._part = XmlRecord(name)
            if self._left > 0:
                self._record.parts.append(self._part)
            paths.append("")
            return
        path = f"{around}/{name}" if (around := paths[-1]) else name
        paths.append(path)
        if attributes:
            for attribute, value in attributes.items():
                self._add_text(f"{path}@{attribute}", value)
        if len(paths) > _MAX_DEPTH:
            raise _too_deep()

    def _end_within(self, _tag: str) -> None:
        path = self._paths.pop()
        if path:
            # Between the tags that end there is nothing but the white space that sets them off.
            if (text := self._text) and not text.isspace():
                self._add_text(path, text)
        elif self._paths:
            self._part = None
        else:
            self._ready.append(XmlEvent(self._record))
            self._leave_record()
        self._text = ""

    def _add_text(self, path: str, text: str) -> None:
        folded = " ".join(text.split())
        if not folded or self._left <= 0:
            return
        self._left -= 1
        fields = (self._part or self._record).fields
        if path in fields:
            fields[path].append(folded)
        else:
            fields[path] = [folded]

    def _add_characters(self, data: str) -> None:
        text = self._text
        if len(text) < MAX_TEXT:
            self._text = text + data[:MAX_TEXT]


def local_name(tag: str) -> str:
    """Return a tag name without its namespace prefix."""
    return tag.rpartition(":")[2] if ":" in tag else tag


def _too_deep() -> FileRefusedError:
    return FileRefusedError("The file's elements are nested too deeply; it is damaged.")
