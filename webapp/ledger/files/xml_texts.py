"""The text of XML by its byte-order mark and its declaration, as XML 1.0 (4.3.3) demands it of every reader."""

import codecs
import re
from typing import Final

ENVELOPE: Final = (
    "http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader StandardBusinessDocument"
)
# The beginnings of the names of Italian e-invoices: today's, the simplified ones, and those before 2017.
FATTURA_PA: Final = (
    "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/",
    "http://www.fatturapa.gov.it/sdi/fatturapa/",
)
_DECLARED: Final = re.compile(
    r"""<\?xml\s[^<>]*?\bencoding\s*=\s*["']([A-Za-z][\w.:-]{0,39})["']""", re.ASCII
)
# UTF-32 comes before UTF-16, whose mark is a prefix of its own.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# An allow-list, because Python also has codecs that unpack archives or run in quadratic time.
_KNOWN: Final = re.compile(r"utf-8|ascii|iso8859-\d+|cp(125\d|437|85\d|86\d|874)|koi8-[ru]|mac-roman")
# In ISO 8859-1 these are control characters, which no text has.
_C1: Final = frozenset(range(0x80, 0xA0))
_HEAD: Final = 1024


class XmlTextError(ValueError):
    """The bytes are not the text that their XML declares; the message says where."""


def xml_text(data: bytes) -> str:
    r"""Decode XML: by its mark, then by its declaration, then as UTF-8; raises XmlTextError.

    >>> xml_text('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'.encode("latin-1"))[-8:]
    '<a>é</a>'
    >>> xml_text("<a>é</a>".encode("utf-16")), xml_text("<a>é</a>".encode())
    ('<a>é</a>', '<a>é</a>')
    >>> xml_text(b"<a>\xe9</a>")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    webapp.ledger.files.xml_texts.XmlTextError: The XML is to be UTF-8, and its byte 4 (E9) in line 1 is none; ask...
    """
    encoding, begins = _encoding(data)
    try:
        text = data[begins:].decode(encoding)
    except UnicodeDecodeError as error:
        at = begins + error.start
        line = data[:at].count(b"\n") + 1
        raise XmlTextError(
            f"The XML is to be {encoding.upper()}, and its byte {at + 1:,} ({data[at]:02X}) in line {line:,} is none;"
            " ask for the file again."
        ) from None
    if text[:1].isspace() and text.lstrip().startswith("<?xml "):
        raise XmlTextError("The XML begins with an empty line or a space; its declaration must come first.")
    return text


def _encoding(data: bytes) -> tuple[str, int]:
    """Return the encoding of XML, and how long its mark is."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name, len(mark)
    # XML begins with a letter of ASCII, of which UTF-16 writes one half as zero.
    if b"\x00" in data[:2]:
        return "utf-16-be" if data.startswith(b"\x00") else "utf-16-le", 0
    found = _DECLARED.match(data[:_HEAD].decode("latin-1").lstrip())
    if found is None:
        return "utf-8", 0
    try:
        name = codecs.lookup(found[1]).name
    except LookupError:
        name = ""
    if not _KNOWN.fullmatch(name):
        raise XmlTextError(
            f"The XML declares the encoding {found[1]}, which is not read; ask for it in UTF-8."
        )
    # Programs of Windows declare ISO 8859-1 and write its larger sibling.
    return ("cp1252" if name == "iso8859-1" and _is_windows(data) else name), 0


def _is_windows(data: bytes) -> bool:
    return not _C1.isdisjoint(data)
