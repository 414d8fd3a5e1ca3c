"""The door of documents reads every writing of an invoice that XML 1.0 demands, and says why it refuses others."""

import pytest

from tests.fixtures import invoices
from webapp.importers.invoices import read, read_all
from webapp.importers.invoices.rules import findings
from webapp.ledger.files.file_kinds import XML, FileKindError, kind_of, sniffed

DECLARED = '<?xml version="1.0" encoding="UTF-8"?>'
SBDH = "http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader"


def written(encoding, *, declared=None, before="", write=invoices.ubl):
    text = write(seller="Café Müller").decode()
    declared = encoding if declared is None else declared
    head = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    return text.replace(DECLARED, head + before).encode(encoding)


@pytest.mark.parametrize("write", [invoices.ubl, invoices.cii])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252", "iso-8859-15"]
)
def test_an_invoice_is_read_in_the_encoding_that_it_declares(encoding, write):
    data = written(encoding, declared=encoding.removesuffix("-sig"), write=write)
    assert kind_of(data) is XML
    assert sniffed(data) is XML
    assert read(data).seller.name == "Café Müller"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-8"])
def test_an_invoice_without_a_declaration_is_unicode(encoding):
    data = written(encoding, declared="")
    assert kind_of(data) is XML
    assert read(data).seller.name == "Café Müller"


@pytest.mark.parametrize(
    "instruction",
    [
        '<?xml-stylesheet type="text/xsl" href="http://127.0.0.1:9/x.xsl"?>',
        '<?xml-model href="x.rnc"?>',
        "<?a b?>",
    ],
)
def test_an_instruction_says_nothing_of_an_invoice(instruction):
    data = written("utf-8", before=instruction)
    assert kind_of(data) is XML
    assert findings(read(data)) == []


def enveloped(*parts):
    head = (
        "<StandardBusinessDocumentHeader><HeaderVersion>1.0</HeaderVersion></StandardBusinessDocumentHeader>"
    )
    body = "".join(part.decode().replace(DECLARED, "") for part in parts)
    return (
        f'{DECLARED}<StandardBusinessDocument xmlns="{SBDH}">{head}{body}</StandardBusinessDocument>'.encode()
    )


@pytest.mark.parametrize("write", [invoices.ubl, invoices.cii])
def test_an_invoice_is_taken_out_of_its_envelope(write):
    data = enveloped(write())
    assert kind_of(data) is XML
    assert read(data) == read(write())


def test_each_invoice_of_an_envelope_is_read():
    data = enveloped(invoices.ubl(), invoices.cii(number="RE-4712"))
    assert kind_of(data) is XML
    assert [each.number for each in read_all(data)] == ["RE-4711", "RE-4712"]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (written("iso-8859-1", declared="utf-8"), r"its byte [\d,]+ \(E9\) in line \d+ is none"),
        (written("utf-8", declared="klingon"), "declares the encoding klingon"),
        (written("utf-8", declared="utf-7"), "declares the encoding utf-7"),
        (b"\n" + written("utf-8"), "its declaration must come first"),
        (enveloped(), "this file is none"),
        (
            b'<p:FatturaPA xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"/>',
            "this file is none",
        ),
        (b"<html><body>Paid</body></html>", "this file is none"),
        ("<!DOCTYPE a><a/>".encode("utf-16"), "this file is none"),
        (written("utf-8").replace(b"</cbc:ID>", b"\x01</cbc:ID>", 1), "this file is none"),
    ],
)
def test_what_stays_refused_has_its_own_sentence(data, sentence):
    with pytest.raises(FileKindError, match=sentence):
        kind_of(data)
