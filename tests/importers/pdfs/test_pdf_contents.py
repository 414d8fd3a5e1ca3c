"""A PDF is read in a process of its own: an attached invoice by its name, the text, and hostile files within limits."""

import time
import zlib
from io import BytesIO

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, NameObject

from tests.fixtures import invoices
from webapp.importers import pdfs
from webapp.importers.pdfs import PdfRefusedError


@pytest.mark.parametrize("name", ["factur-x.xml", "ZUGFeRD-invoice.xml", "XRECHNUNG.XML"])
def test_an_attached_invoice_is_found_by_its_name_without_case(name):
    contents = pdfs.read(invoices.pdf({"terms.txt": b"Net 14 days", name: invoices.cii()}))

    assert contents.xml == invoices.cii()
    assert set(contents.attachments) == {"terms.txt", name}


def test_an_invoice_is_found_where_it_is_only_associated_with_the_document():
    """Some programs write /AF and no name tree."""
    writer = PdfWriter(clone_from=BytesIO(invoices.pdf({"factur-x.xml": invoices.cii()})))
    catalogue = writer.root_object
    specification = catalogue["/Names"]["/EmbeddedFiles"]["/Names"][1]
    del catalogue["/Names"]
    catalogue[NameObject("/AF")] = ArrayObject([specification])
    written = BytesIO()
    writer.write(written)
    assert "/Names" not in PdfReader(written).root_object
    assert pdfs.read(written.getvalue()).xml == invoices.cii()


def test_a_pdf_without_an_invoice_has_none():
    assert pdfs.read(invoices.pdf({"order.xml": b"<order/>"})).xml is None


def test_an_encrypted_pdf_is_refused_with_what_to_do():
    with pytest.raises(PdfRefusedError, match="encrypted"):
        pdfs.read(invoices.pdf({"factur-x.xml": invoices.cii()}, password="secret"))


def test_a_damaged_pdf_is_refused():
    with pytest.raises(PdfRefusedError, match="damaged"):
        pdfs.read(b"%PDF-1.7\nnothing in it")


def bomb(layers: int) -> bytes:
    """A PDF whose attached invoice unpacks to gigabytes."""
    packed = bytes(200 * 1024 * 1024)
    for _ in range(layers):
        packed = zlib.compress(packed, 9)
    filters = b"[" + b"/FlateDecode " * layers + b"]"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(factur-x.xml) 4 0 R]>>>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
        b"<</Type/Filespec/F(factur-x.xml)/EF<</F 5 0 R>>>>",
        b"<</Type/EmbeddedFile/Filter%s/Length %d>>\nstream\n%s\nendstream" % (filters, len(packed), packed),
    ]
    written, offsets = b"%PDF-1.7\n", []
    for number, each in enumerate(objects, 1):
        offsets.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    start = len(written)
    return (
        written
        + b"xref\n0 6\n0000000000 65535 f \n"
        + table
        + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % start
    )


@pytest.mark.parametrize("layers", [1, 2])
def test_an_attachment_that_unpacks_to_hundreds_of_megabytes_is_refused(layers):
    data = bomb(layers)
    before = time.process_time()
    with pytest.raises(PdfRefusedError, match=r"nothing is read"):
        pdfs.read(data)
    assert time.process_time() - before < 1
