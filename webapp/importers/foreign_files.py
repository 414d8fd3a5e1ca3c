"""Files that are not bank files (PDF, images, archives, old Excel), refused with advice on what to export instead."""

import re
from collections.abc import Iterable, Mapping
from typing import Final, NoReturn

from webapp.importers.bank_files import FileRefusedError
from webapp.importers.decoding import opening

_INSTEAD: Final = "export the account from the bank as CAMT, MT940, OFX, QIF, CSV or XLSX"
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED: Final = (
    f"The file is an Office file that is protected by a password; save it without one, or {_INSTEAD}."
)
_OLD_EXCEL: Final = "The file is a workbook of Excel 97 to 2003 (.xls); open it and save it as XLSX or CSV."
_OLD_OFFICE: Final = f"The file is an old Office document; {_INSTEAD}."
_SIGNATURES: Final = (
    (b"%PDF", f"The file is a PDF, which cannot be imported; {_INSTEAD}."),
    (b"\x89PNG", f"The file is a picture; {_INSTEAD}."),
    (b"\xff\xd8\xff", f"The file is a picture; {_INSTEAD}."),
    (b"GIF8", f"The file is a picture; {_INSTEAD}."),
    (b"II*\0", f"The file is a picture; {_INSTEAD}."),
    (b"MM\0*", f"The file is a picture; {_INSTEAD}."),
    (b"{\\rtf", f"The file is a text document (RTF); {_INSTEAD}."),
    (b"\x1f\x8b", "The file is packed (gzip); unpack it and send its content."),
    (b"7z\xbc\xaf\x27\x1c", "The file is packed (7z); unpack it and send its content."),
    (b"Rar!", "The file is packed (RAR); unpack it and send its content."),
    (b"BZh", "The file is packed (bzip2); unpack it and send its content."),
    (b"\xfd7zXZ", "The file is packed (xz); unpack it and send its content."),
)
_PAGE: Final = re.compile(
    rb"\s{0,200}(?:<\?xml[^<>]{0,200}\?>\s{0,200})?(?:<!--[^<>]{0,500}-->\s{0,200})?"
    rb"<(?:!doctype\s+html|html|head|body|table|meta|style|script)[\s>]",
    re.IGNORECASE,
)
_SPREADSHEET_2003: Final = re.compile(
    rb"progid=\"Excel\.Sheet\"|<(?:\w{1,20}:)?Workbook[^<>]{0,2000}urn:schemas-microsoft-com:office:spreadsheet"
)
_HTML_TABLE: Final = (
    "The file is a web page, even if its name ends in .xls. Open it in a spreadsheet and save it as XLSX or CSV;"
    " if it is the bank's sign-in page, sign in and download the file again."
)
_XML_2003: Final = "The file is a workbook of Excel 2003 in XML; open it and save it as XLSX or CSV."


def recognises(data: bytes) -> bool:
    """Return whether the bytes begin like a file of a format that cannot be imported."""
    return _message(data) is not None


def read(data: bytes, *, mapping: Mapping[str, object] | None = None) -> NoReturn:  # noqa: ARG001
    """Refuse the file, and say what it is and what to send instead."""
    raise FileRefusedError(_message(data) or "")


def archive_message(names: Iterable[str]) -> str:
    """Return the refusal of an archive that is not an Excel workbook, by the names of its members in lower case.

    >>> archive_message(["index/document.iwa"])[:27], archive_message(["statement.xml"])[:30]
    ('The file is an Apple Number', 'The file is an archive (zip); ')
    """
    members = set(names)
    if {"mimetype", "content.xml"} <= members:
        return "The file is an OpenDocument file (.ods); open it and save it as XLSX or CSV."
    if any(name.endswith(".iwa") or name == "index.zip" for name in members):
        return "The file is an Apple Numbers document; export it from Numbers as XLSX or CSV."
    return (
        "The file is an archive (zip); unpack it and send the files in it, or put it into the inbox as it is."
    )


def _message(data: bytes) -> str | None:
    for signature, sentence in _SIGNATURES:
        if data.startswith(signature):
            return sentence
    if data.startswith(_OLE):
        if _wide("EncryptedPackage") in data:
            return _LOCKED
        return _OLD_EXCEL if _wide("Workbook") in data or _wide("Book") in data else _OLD_OFFICE
    head = opening(data)
    if _PAGE.match(head):
        return _HTML_TABLE
    return _XML_2003 if head.lstrip().startswith(b"<") and _SPREADSHEET_2003.search(head) else None


def _wide(text: str) -> bytes:
    return text.encode("utf-16-le")
