"""What is no bank's file is refused with a sentence that says what it is and what to send instead."""

import pytest

from tests.fixtures.bank_files import xlsx_files
from webapp.importers import FileRefusedError, read

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
TABLE = b"<table><tr><td>Date</td><td>Amount</td></tr></table>"
WORKBOOK_2003 = (
    b'<?xml version="1.0"?>\r\n<?mso-application progid="Excel.Sheet"?>\r\n'
    b'<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet/></Workbook>'
)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (OLE + "Workbook".encode("utf-16-le"), "Excel 97 to 2003 (.xls); open it and save it as XLSX"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "password"),
        (OLE + "WordDocument".encode("utf-16-le"), "old Office document"),
        (b"%PDF-1.7\na,b\n1,2\n3,4\n", "PDF"),
        (b"%PDF-1.7\n:20:X\n:25:1\n:60F:C260301EUR1,\n", "PDF"),
        (b"\x89PNG\r\n\x1a\n\0\0,\1,\n,,\n", "picture"),
        (b"\xff\xd8\xff\xe0", "picture"),
        (b"\x1f\x8b\x08", "unpack it"),
        (b"{\\rtf1 Date,Amount}", "text document"),
        (b"<html><body>a,b\n1,2\n3,4\n</body></html>", "web page"),
        (b"\xef\xbb\xbf\r\n<!DOCTYPE html><html>" + TABLE, "web page"),
        (b"<!-- x --><table><tr>", "web page"),
        ('<meta charset="utf-16"><table>'.encode("utf-16"), "web page"),
        (WORKBOOK_2003, "Excel 2003 in XML"),
        (WORKBOOK_2003.replace(b'<?mso-application progid="Excel.Sheet"?>', b""), "Excel 2003 in XML"),
        (xlsx_files.archive({"statement.xml": "<Document/>"}), "unpack it"),
        (xlsx_files.archive({"mimetype": "x", "content.xml": "<x/>"}), "OpenDocument"),
        (xlsx_files.archive({"Index/Document.iwa": b"\0"}), "Apple Numbers"),
        (xlsx_files.archive({}), "unpack it"),
        (b"PK\x03\x04a,b\n1,2\n", "damaged"),
    ],
)
def test_a_foreign_file_is_named(data, said):
    with pytest.raises(FileRefusedError) as refused:
        read(data)
    assert said in refused.value.message


def test_a_document_of_word_is_no_workbook():
    parts = {
        "_rels/.rels": xlsx_files.relations(("rId1", "officeDocument", "word/document.xml", "")),
        "word/document.xml": "<document/>",
    }
    with pytest.raises(FileRefusedError, match="Word"):
        read(xlsx_files.archive(parts))
