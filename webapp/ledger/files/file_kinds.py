"""The type of a document's file, from its bytes and never from its name; and names made safe to show and to store."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.parsers import expat

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.files import xml_pieces
from webapp.ledger.files.signed_files import SignedFileError, content_of, is_signed
from webapp.ledger.files.xml_pieces import MOST_ELEMENTS, TooMuchMarkupError
from webapp.ledger.files.xml_texts import ENVELOPE, FATTURA_PA, XmlTextError, xml_text

LONGEST: Final = 120
NAMELESS: Final = "document"

# What no system takes in a name, or takes for something else.
_FORBIDDEN: Final = re.compile(r'[<>:"|?*]')
# Control characters, invisible ones that turn the order of letters round, lone surrogates, line ends, private ones.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


class FileKindError(UnprocessableError):
    """A document is a PDF, picture (PNG, JPEG, GIF, WebP, TIFF, HEIC), plain text or XML invoice; this file is none."""

    code = "file_kind"


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file: its media type and its file name endings, the usual ending first."""

    type: str
    served_as: str
    endings: tuple[str, ...]


OCTETS: Final = "application/octet-stream"
PDF: Final = FileKind("application/pdf", "application/pdf", (".pdf",))
PNG: Final = FileKind("image/png", "image/png", (".png",))
JPEG: Final = FileKind("image/jpeg", "image/jpeg", (".jpg", ".jpeg", ".jpe"))
GIF: Final = FileKind("image/gif", "image/gif", (".gif",))
WEBP: Final = FileKind("image/webp", "image/webp", (".webp",))
TIFF: Final = FileKind("image/tiff", "image/tiff", (".tif", ".tiff"))
HEIC: Final = FileKind("image/heic", "image/heic", (".heic", ".heif"))
TEXT: Final = FileKind("text/plain", "text/plain", (".txt", ".text", ".eml", ".csv", ".log"))
# A browser looks for styles and scripts in what is served as XML, so it is never served as XML.
XML: Final = FileKind("application/xml", OCTETS, (".xml",))
# A document in a signature.
SIGNED: Final = FileKind("application/pkcs7-mime", OCTETS, (".p7m",))
# What only bank files are: documents are none of these.
WORKBOOK: Final = FileKind(
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", OCTETS, (".xlsx",)
)
JSON: Final = FileKind("application/json", OCTETS, (".json",))
UNKNOWN: Final = FileKind(OCTETS, OCTETS, ())
KINDS: Final = {kind.type: kind for kind in (PDF, PNG, JPEG, GIF, WEBP, TIFF, HEIC, TEXT, XML, SIGNED)}
ALL_KINDS: Final = KINDS | {kind.type: kind for kind in (WORKBOOK, JSON, UNKNOWN)}

# Each at the very beginning: what stands before a mark may be another kind of file altogether.
_MARKS: Final = (
    (b"%PDF-", PDF),
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    (b"GIF87a", GIF),
    (b"GIF89a", GIF),
    (b"II*\x00", TIFF),
    (b"MM\x00*", TIFF),
)
_WEBP: Final = re.compile(rb"RIFF....WEBPVP8[ LX]", re.DOTALL)
# ISO 23008-12: the box of the file's brand comes first; others of that family are films.
_HEIC: Final = re.compile(rb"\x00\x00\x00.ftyp(?:hei[cmsx]|hev[cmsx]|mif1|msf1)", re.DOTALL)
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
# What makes a browser take a text for a page or a drawing, wherever it stands.
_MARKUP: Final = re.compile(
    r"<\s*(?:!doctype|html|head|body|script|style|iframe|svg|object|embed|applet|frameset|meta|link|base|form|img"
    r"|math|template|video|audio|[a-z]+:(?:html|script|svg))\b|javascript:",
    re.IGNORECASE,
)
# The roots of the invoices that EN 16931 writes in XML: UBL 2 and UN/CEFACT's Cross Industry Invoice.
_INVOICES: Final = frozenset(
    {
        "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2 Invoice",
        "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2 CreditNote",
        "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100 CrossIndustryInvoice",
        "urn:ferd:CrossIndustryDocument:invoice:1p0 CrossIndustryDocument",
    }
)
_FOREIGN: Final = ("http://www.w3.org/1999/xhtml ", "http://www.w3.org/2000/svg ")
_OF_ENVELOPE: Final = ENVELOPE.partition(" ")[0]
_ITALIAN_INVOICES: Final = ("FatturaElettronica", "FatturaElettronicaSemplificata")
_DEEPEST: Final = 100
_BEGINNING: Final = 4096


def kind_of(data: bytes) -> FileKind:
    """Detect the type of a file by its content, or raise FileKindError.

    >>> kind_of(b"%PDF-1.7 ...").type, kind_of("Caf\u00e9, 2.50 EUR".encode()).type
    ('application/pdf', 'text/plain')
    >>> kind_of(b"<!DOCTYPE html><p>Paid</p>")
    Traceback (most recent call last):
    webapp.ledger.files.file_kinds.FileKindError: A document is a PDF, picture (PNG, JPEG, GIF, WebP, TIFF, HEIC), \
plain text or XML invoice; this file is none.
    """
    for mark, kind in _MARKS:
        if data.startswith(mark):
            return kind
    if _WEBP.match(data):
        return WEBP
    if _HEIC.match(data):
        return HEIC
    if _begins_as_xml(data):
        _require_invoice(data)
        return XML
    if is_signed(data):
        try:
            kind_of(content_of(data))
        except SignedFileError as error:
            raise FileKindError(str(error)) from None
        return SIGNED
    text = _text(data)
    if not text.strip() or _MARKUP.search(text):
        raise FileKindError
    return TEXT


def sniffed(data: bytes) -> FileKind:
    r"""Detect the type of any file by its beginning; unknown files are octets.

    >>> sniffed(b"date;amount\n").type, sniffed(b"\xef\xbb\xbf<?xml").type, sniffed(b"PK\x03\x04...").endings
    ('text/plain', 'application/xml', ('.xlsx',))
    """
    beginning = data[:_BEGINNING]
    for mark, kind in (*_MARKS, (b"PK\x03\x04", WORKBOOK)):
        if beginning.startswith(mark):
            return kind
    if _WEBP.match(beginning) or _HEIC.match(beginning):
        return WEBP if _WEBP.match(beginning) else HEIC
    if _begins_as_xml(beginning):
        return XML
    if is_signed(beginning):
        return SIGNED
    return UNKNOWN if b"\x00" in beginning else TEXT


def _begins_as_xml(data: bytes) -> bool:
    """Return whether the first letter is an angle bracket, also in two or four bytes and behind a mark."""
    head = data[:_BEGINNING].lstrip(b"\xef\xbb\xbf\xff\xfe\x00")
    return head.lstrip(b" \t\r\n\x00").startswith(b"<")


def _text(data: bytes) -> str:
    """Read a file that can only be text; raises FileKindError for everything else."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileKindError from None
    if _CONTROL.search(text):
        raise FileKindError
    return text


def _require_invoice(data: bytes) -> None:
    """Raise FileKindError for XML that is no whole invoice, or contains a document type, a page or a drawing.

    Instructions, such as that of a style sheet, say nothing of the invoice; nothing is fetched for them.
    """
    found = _Elements()
    parser = expat.ParserCreate("utf-8", namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = found.start, found.end
    parser.StartDoctypeDeclHandler = found.refuse
    try:
        text = xml_text(data)
        if _CONTROL.search(text):
            raise FileKindError
        xml_pieces.parse(parser, text.encode())
        if not found.invoices:
            raise FileKindError
    except (TooMuchMarkupError, XmlTextError) as error:
        raise FileKindError(str(error)) from None
    except (expat.ExpatError, ValueError, LookupError):
        raise FileKindError from None


class _Elements:
    """The elements of an XML file, as the parser meets them."""

    def __init__(self) -> None:
        self._depth = self._count = self.invoices = 0
        self._outside = 0

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        if self._depth == 0 and name == ENVELOPE:
            self._outside = 1
        is_root = self._depth == self._outside
        is_strange = not _is_invoice(name) if is_root else name.startswith(_FOREIGN)
        if is_root and self._outside:
            is_strange = is_strange and not name.startswith(_OF_ENVELOPE)
        self.invoices += is_root and _is_invoice(name)
        self._depth += 1
        self._count += 1
        if is_strange or self._depth > _DEEPEST:
            raise FileKindError
        if self._count > MOST_ELEMENTS:
            raise FileKindError(f"The XML has more than {MOST_ELEMENTS:,} elements, which no invoice has.")

    def end(self, _name: str) -> None:
        self._depth -= 1

    def refuse(self, *_: object) -> None:
        raise FileKindError


def _is_invoice(name: str) -> bool:
    """Return whether an element is the root of an invoice."""
    is_italian = name.startswith(FATTURA_PA) and name.rpartition(" ")[2] in _ITALIAN_INVOICES
    return is_italian or name in _INVOICES


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
