"""The tree of an untrusted XML invoice: expat without document types or entities, streaming, with caps."""

from collections.abc import Iterator
from typing import Final
from xml.parsers import expat

from webapp.importers.invoices.records import InvoiceRefusedError
from webapp.ledger.files import xml_pieces
from webapp.ledger.files.xml_pieces import MOST_ELEMENTS, TooMuchMarkupError
from webapp.ledger.files.xml_texts import ENVELOPE, FATTURA_PA, XmlTextError, xml_text

MOST_TEXT: Final = 10_000
DEEPEST: Final = 60
# Files within the invoice, which are neither read nor kept in memory.
_BINARY: Final = frozenset({"EmbeddedDocumentBinaryObject", "AttachmentBinaryObject", "Attachment"})
_UBL: Final = "urn:oasis:names:specification:ubl:schema:xsd:"
_CII: Final = "urn:un:unece:uncefact:data:standard:"
_NAMESPACES: Final = (
    f"{_UBL}Invoice-2 ",
    f"{_UBL}CreditNote-2 ",
    f"{_UBL}CommonAggregateComponents-2 ",
    f"{_UBL}CommonBasicComponents-2 ",
    f"{_CII}CrossIndustryInvoice:100 ",
    f"{_CII}ReusableAggregateBusinessInformationEntity:",
    f"{_CII}UnqualifiedDataType:",
    f"{_CII}QualifiedDataType:",
    "urn:ferd:CrossIndustryDocument:invoice:1p0 ",
    *FATTURA_PA,
)


class Node:
    """An element: its local name, its attributes, its text folded, and its children by their names."""

    __slots__ = ("attributes", "children", "name", "text")

    def __init__(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element without children."""
        self.name = name
        self.attributes = attributes
        self.text = ""
        self.children: dict[str, list[Node]] = {}

    def all(self, *path: str) -> "Iterator[Node]":
        """Yield the descendants at a path of names."""
        if not path:
            yield self
            return
        for child in self.children.get(path[0], ()):
            yield from child.all(*path[1:])

    def first(self, *path: str) -> "Node | None":
        """Return the first descendant at a path of names."""
        return next(self.all(*path), None)

    def value(self, *path: str) -> str | None:
        """Return the first text at a path that is not empty."""
        return next((each.text for each in self.all(*path) if each.text), None)

    def descendants(self) -> "Iterator[Node]":
        """Yield all elements within this one."""
        for children in self.children.values():
            for child in children:
                yield child
                yield from child.descendants()

    def count(self, names: frozenset[str]) -> int:
        """Count the descendants of any of these names."""
        return sum(child.name in names for child in self.descendants())


def trees(data: bytes) -> list[Node]:
    """Parse XML to the trees of its invoices, without elements of other vocabularies and their contents.

    An envelope may have several.

    Raises InvoiceRefusedError for bytes that are not XML, have a document type, or are too large or too deep.
    """
    builder = _Builder()
    parser = expat.ParserCreate("utf-8", namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.characters
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = _refuse_document_type
    try:
        xml_pieces.parse(parser, xml_text(data).encode())
    except TooMuchMarkupError as error:
        raise InvoiceRefusedError(f"{error} It was not read.") from None
    except XmlTextError as error:
        raise InvoiceRefusedError(str(error)) from None
    except (expat.ExpatError, ValueError, LookupError):
        raise InvoiceRefusedError(
            f"The XML breaks off or is damaged in line {parser.ErrorLineNumber}; ask for the invoice again."
        ) from None
    if not builder.roots:
        raise InvoiceRefusedError("The XML is not an invoice in UBL, CII or FatturaPA.")
    return builder.roots


class _Builder:
    """The tree as it grows; `skipped` is the depth below an element of another vocabulary."""

    def __init__(self) -> None:
        self.roots: list[Node] = []
        self._has_own_names = False
        self._open: list[Node] = []
        self._texts: list[str] = []
        self._length = self._elements = self._skipped = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > MOST_ELEMENTS:
            raise InvoiceRefusedError(
                f"The XML has more than {MOST_ELEMENTS:,} elements, which no invoice has; it was not read."
            )
        if len(self._open) + self._skipped >= DEEPEST:
            raise InvoiceRefusedError("The XML is nested more deeply than any invoice; it was not read.")
        if tag == ENVELOPE and not (self._open or self._skipped or self._elements > 1):
            return
        if self._skipped or not self._is_element(tag):
            self._skipped += 1
            return
        node = Node(tag.rpartition(" ")[2], attributes)
        if self._open:
            self._open[-1].children.setdefault(node.name, []).append(node)
        else:
            self.roots.append(node)
            # The schema of FatturaPA gives a namespace to its root alone.
            self._has_own_names = tag.startswith(FATTURA_PA)
        self._open.append(node)
        self._texts, self._length = [], 0

    def _is_element(self, tag: str) -> bool:
        return tag.startswith(_NAMESPACES) or (self._has_own_names and bool(self._open) and " " not in tag)

    def end(self, _tag: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        # The end of an envelope.
        if not self._open:
            return
        node = self._open.pop()
        if not node.children and self._texts:
            node.text = " ".join("".join(self._texts).split())
        self._texts, self._length = [], 0

    def characters(self, data: str) -> None:
        if self._skipped or not self._open or self._open[-1].name in _BINARY or self._length >= MOST_TEXT:
            return
        self._texts.append(data[: MOST_TEXT - self._length])
        self._length += len(data)


def _refuse_document_type(*_declared: object) -> None:
    raise InvoiceRefusedError("The XML declares a document type, which invoices never have; it was not read.")
