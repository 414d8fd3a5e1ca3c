"""A parser of the XML parts of a workbook, without document types, entities or external references."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Final, NamedTuple
from xml.parsers import expat

from webapp.importers.bank_files import FileRefusedError
from webapp.importers.xml_records import local_name
from webapp.ledger.files.xml_pieces import MOST_TAG

# Enough for two million cells with a value.
MAX_TAGS: Final = 8_000_000
# Of a cell its place, its style and its type; a formula may have a sign like theirs, too.
MAX_ATTRIBUTES: Final = 10_000_000
_MAX_DEPTH: Final = 60
_MAX_ELEMENTS: Final = 400_000
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")


class PartParser(ABC):
    """The parser of one type of part; `depth` is the number of open elements, maintained by `start` and `end`."""

    depth = 0

    @abstractmethod
    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""

    @abstractmethod
    def end(self, tag: str) -> None:
        """Handle the end of an element."""

    @abstractmethod
    def text(self, data: str) -> None:
        """Handle text."""

    def parse(self, pieces: Iterable[bytes]) -> None:
        """Read a whole part, in UTF-8 or UTF-16.

        Raises FileRefusedError for a part that is not XML, declares a document type, or is too deep or too large.
        """
        fed = tags = attributes = 0
        parser: expat.XMLParserType | None = None
        for piece in pieces:
            parser = parser or self._parser(is_wide=piece.startswith(_WIDE))
            tags += piece.count(b"<")
            if tags > MAX_TAGS:
                raise FileRefusedError(
                    f"The workbook has more than {MAX_TAGS:,} tags; export it in shorter periods."
                )
            attributes += piece.count(b"=")
            if attributes > MAX_ATTRIBUTES:
                raise FileRefusedError(
                    f"The workbook has more than {MAX_ATTRIBUTES:,} attributes; export it in shorter periods."
                )
            fed += len(piece)
            _feed(parser, piece)
            if self.depth > _MAX_DEPTH or fed - parser.CurrentByteIndex > MOST_TAG:
                raise FileRefusedError("The workbook is nested too deeply, or has a tag without an end.")
        _feed(parser or self._parser(is_wide=False), b"", final=True)

    def _parser(self, *, is_wide: bool) -> expat.XMLParserType:
        parser = expat.ParserCreate("utf-16" if is_wide else "utf-8")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse_document_type
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text
        return parser


def _feed(parser: expat.XMLParserType, piece: bytes, *, final: bool = False) -> None:
    try:
        parser.Parse(piece, final)
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, "not well-formed")
        raise FileRefusedError(
            f"A part of the workbook is not valid XML ({reason}); it is damaged, download it again."
        ) from None


def _refuse_document_type(*_declared: object) -> None:
    raise FileRefusedError(
        "The workbook has a document type declaration, which workbooks never have; it was not read."
    )


class Element(NamedTuple):
    """An element without its contents, attributes by their plain names."""

    parent: str
    name: str
    attributes: dict[str, str]


class ElementParser(PartParser):
    """All elements of a small part."""

    def __init__(self) -> None:
        """Begin without elements."""
        self.found: list[Element] = []
        self._open: list[str] = [""]

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        name = local_name(tag)
        self.depth += 1
        self.found.append(
            Element(self._open[-1], name, {local_name(key): value for key, value in attributes.items()})
        )
        self._open.append(name)
        if len(self.found) > _MAX_ELEMENTS:
            raise FileRefusedError(f"A part of the workbook has more than {_MAX_ELEMENTS:,} elements.")

    def end(self, tag: str) -> None:  # noqa: ARG002
        """Handle the end of an element."""
        self.depth -= 1
        self._open.pop()

    def text(self, data: str) -> None:
        """Ignore text, which is not used in these parts."""
