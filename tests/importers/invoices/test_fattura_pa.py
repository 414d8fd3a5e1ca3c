"""Italian invoices are read as they state themselves, and the checks of the Sistema di Interscambio hold for them."""

from decimal import Decimal

import pytest

from tests.fixtures import invoices
from tests.fixtures.invoices import italian, italian_body, italian_line, italian_payments, italian_row
from webapp.importers.invoices import InvoiceRefusedError, read, read_all
from webapp.importers.invoices.rules import findings

RITENUTA = (
    "<DatiRitenuta><TipoRitenuta>RT01</TipoRitenuta><ImportoRitenuta>{0}</ImportoRitenuta>"
    "<AliquotaRitenuta>20.00</AliquotaRitenuta><CausalePagamento>A</CausalePagamento></DatiRitenuta>"
)
BOLLO = "<DatiBollo><BolloVirtuale>SI</BolloVirtuale><ImportoBollo>2.00</ImportoBollo></DatiBollo>"
CASSA = (
    "<DatiCassaPrevidenziale><TipoCassa>TC04</TipoCassa><AlCassa>4.00</AlCassa>"
    "<ImportoContributoCassa>4.00</ImportoContributoCassa><ImponibileCassa>100.00</ImponibileCassa>"
    "<AliquotaIVA>22.00</AliquotaIVA></DatiCassaPrevidenziale>"
)


def total(amount):
    return f"<ImportoTotaleDocumento>{amount}</ImportoTotaleDocumento>"


def one(**changes):
    return read(italian(italian_body(**changes)))


def codes(invoice):
    return [each.rule for each in findings(invoice)]


def test_parties_rows_lines_and_payments_are_read_as_they_are_stated():
    invoice = read(italian())
    assert (invoice.number, str(invoice.issued_on), str(invoice.due_on)) == (
        "15/A",
        "2026-03-02",
        "2026-04-30",
    )
    assert (invoice.type_code, invoice.profile, invoice.currency) == ("TD01", "FPR12", "EUR")
    seller, buyer = invoice.seller, invoice.buyer
    assert (seller.name, seller.vat_id, seller.tax_number, seller.registration) == (
        "Maria Rossi",
        "IT01234567890",
        "RSSMRA70A01F205X",
        "MI 99887",
    )
    assert (seller.address, seller.country) == (("Via Verdi 7", "20121 Milano MI"), "IT")
    assert (buyer.name, buyer.vat_id) == ("Ada Studio", "IT09876543210")
    assert [(str(row.rate), str(row.base), str(row.tax)) for row in invoice.rows] == [
        ("22.00", "100.00", "22.00"),
        ("4.00", "24.04", "0.96"),
    ]
    assert [(line.name, str(line.net), str(line.price)) for line in invoice.lines] == [
        ("Consulting", "100.00", "50.00"),
        ("Books", "24.04", "12.02"),
    ]
    totals = invoice.totals
    assert (totals.net, invoice.tax, totals.gross, totals.due) == tuple(
        map(Decimal, ("124.04", "22.96", "147.00", "147.00"))
    )
    assert invoice.payment.account == "IT60X0542811101000000123456"
    assert codes(invoice) == []


def test_what_is_withheld_is_not_due():
    invoice = one(
        general=RITENUTA.format("20.00") + CASSA,
        lines=italian_line(1, "Consulting", "100.00", more="<Ritenuta>SI</Ritenuta>"),
        rows=italian_row("104.00", "22.88"),
        total=total("126.88"),
        payments=italian_payments(("106.88", "2026-04-30")),
    )
    assert (invoice.totals.withheld, invoice.totals.due) == (Decimal("20.00"), Decimal("106.88"))
    assert [(each.kind, str(each.amount), each.reason) for each in invoice.withholdings] == [
        ("RT01", "20.00", "A")
    ]
    assert [(each.is_charge, str(each.amount)) for each in invoice.adjustments] == [(True, "4.00")]
    assert codes(invoice) == []


def test_tax_that_the_buyer_pays_to_the_state_is_not_due():
    invoice = one(
        lines=italian_line(1, "Paper", "100.00"),
        rows=italian_row("100.00", "22.00", exigible="S"),
        total=total("122.00"),
        payments=italian_payments(("100.00", "2026-04-30")),
    )
    assert (invoice.totals.split_tax, invoice.totals.due) == (Decimal("22.00"), Decimal("100.00"))
    assert codes(invoice) == []


def test_the_stamp_duty_may_be_in_the_total_beside_the_rows():
    nature = "<Natura>N2.2</Natura>"
    invoice = one(
        general=BOLLO,
        lines=italian_line(1, "Consulting", "100.00", "0.00", nature),
        rows=italian_row("100.00", "0.00", "0.00", nature),
        total=total("102.00"),
        payments=italian_payments(("102.00", "2026-04-30")),
    )
    assert (invoice.totals.stamp, invoice.totals.gross) == (Decimal("2.00"), Decimal("102.00"))
    assert [row.category for row in invoice.rows] == ["N2.2"]
    assert codes(invoice) == []


def test_a_credit_note_names_its_invoice():
    related = "<DatiFattureCollegate><IdDocumento>12/A</IdDocumento></DatiFattureCollegate>"
    invoice = one(type_code="TD04", related=related)
    assert (invoice.is_credit_note, invoice.preceding) == (True, ("12/A",))


def test_each_body_of_a_file_is_an_invoice_of_the_same_parties():
    bodies = [italian_body(number=f"{number}/A") for number in (15, 16, 17)]
    found = read_all(italian(*bodies))
    assert [(each.number, each.seller.name) for each in found] == [
        ("15/A", "Maria Rossi"),
        ("16/A", "Maria Rossi"),
        ("17/A", "Maria Rossi"),
    ]
    with pytest.raises(InvoiceRefusedError, match="3 invoices"):
        read(italian(*bodies))


def test_an_endless_batch_is_refused():
    with pytest.raises(InvoiceRefusedError, match="201 invoices, and at most 200"):
        read_all(italian(*[italian_body()] * 201))


def test_several_ways_to_pay_the_whole_are_no_instalments():
    two = italian_payments(("147.00", "2026-04-30"), ("147.00", "2026-04-30"))
    assert one(payments=two).totals.due == Decimal("147.00")
    parts = one(payments=italian_payments(("47.00", "2026-04-30"), ("100.00", "2026-05-31")))
    assert (parts.totals.due, str(parts.due_on)) == (Decimal("147.00"), "2026-04-30")
    assert [str(each.amount) for each in parts.instalments] == ["47.00", "100.00"]
    assert codes(parts) == []


def test_a_total_that_is_not_stated_is_made_by_the_rows_and_said():
    invoice = one(total="", payments="")
    assert (invoice.totals.gross, invoice.totals.due) == (Decimal("147.00"), None)
    assert [each.sentence for each in findings(invoice)] == [
        "The total is not stated; the bases and the taxes make 147.00, which is taken."
    ]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"total": total("150.00"), "payments": ""},
            "SDI-TOTAL: The total is stated as 150.00, and the bases and the taxes make 147.00.",
        ),
        (
            {"payments": italian_payments(("140.00", "2026-04-30"))},
            "SDI-DUE: The payments make 140.00, and the total makes 147.00.",
        ),
        (
            {"general": RITENUTA.format("20.00")},
            "SDI-DUE: The payments make 147.00, and the total, less 20.00 that the buyer pays to others, makes 127.00.",
        ),
        (
            {"rows": italian_row("100.00", "22.02") + italian_row("24.04", "0.94", "4.00")},
            "SDI-00421: The tax at 22.00 % is stated as 22.02, and 100.00 make 22.00.",
        ),
        (
            {"lines": italian_line(1, "A", "98.98") + italian_line(2, "B", "24.04", "4.00")},
            "SDI-00422: The base at 22.00 % is stated as 100.00, and its lines make 98.98.",
        ),
        (
            {
                "lines": italian_line(1, "A", "100.00").replace("<Quantita>2.00", "<Quantita>3.00")
                + italian_line(2, "B", "24.04", "4.00")
            },
            "SDI-00423: Line 1 is stated as 100.00, and its price and quantity make 150.00.",
        ),
        (
            {
                "lines": italian_line(1, "A", "100.00")
                + italian_line(2, "B", "24.04", "4.00", "<Natura>N4</Natura>")
            },
            "SDI-00401: Line 2 has tax, and states a reason for none (N4).",
        ),
        (
            {
                "lines": italian_line(1, "A", "100.00", more="<Ritenuta>SI</Ritenuta>")
                + italian_line(2, "B", "24.04", "4.00")
            },
            "SDI-00411: Something is withheld of a line, and the invoice does not state how much.",
        ),
    ],
)
def test_a_contradiction_is_said_with_its_figures(changes, sentence):
    assert sentence in [f"{each.rule}: {each.sentence}" for each in findings(one(**changes))]


# Every code of the schemas FatturaPA 1.2.3 and VFSM10, and of what they replaced.
CODES = {
    "TipoDocumento": [f"TD{number:02}" for number in (*range(1, 10), *range(16, 30))],
    "RegimeFiscale": [f"RF{number:02}" for number in range(1, 21)],
    "ModalitaPagamento": [f"MP{number:02}" for number in range(1, 24)],
    "CondizioniPagamento": ["TP01", "TP02", "TP03"],
    "EsigibilitaIVA": ["D", "I", "S"],
    "TipoCassa": [f"TC{number:02}" for number in range(1, 23)],
    "TipoRitenuta": [f"RT{number:02}" for number in range(1, 7)],
    "CausalePagamento": [*"ABCDEGHILMNOPQRSTUVWXYZ", "L1", "M1", "M2", "O1", "V1", "ZO"],
    "Natura": [
        *(f"N{number}" for number in range(1, 8)),
        *("N2.1", "N2.2", "N3.1", "N3.2", "N3.3", "N3.4", "N3.5", "N3.6"),
        *(f"N6.{number}" for number in range(1, 10)),
    ],
    "FormatoTrasmissione": ["FPA12", "FPR12", "FSM10"],
}


@pytest.mark.parametrize("name", CODES)
def test_each_code_of_the_schemas_is_known_and_no_other_one(name):
    nature = "<Natura>N4</Natura>"
    body = italian_body(
        general=RITENUTA.format("20.00") + CASSA,
        lines=italian_line(1, "A", "100.00", "0.00", nature),
        rows=italian_row("100.00", "0.00", "0.00", nature),
    )
    text = italian(body).decode()
    before, place, after = text.partition(f"<{name}>")
    assert place

    def unreadable(code):
        found = findings(read(f"{before}{place}{code}{after[after.index('<') :]}".encode()))
        return [each.sentence for each in found if each.rule == "unreadable"]

    assert [code for code in CODES[name] if unreadable(code)] == []
    unknown = f"{CODES[name][-1]}9"
    if name == "TipoDocumento":
        with pytest.raises(InvoiceRefusedError, match=f'of the type "{unknown}"'):
            unreadable(unknown)
    else:
        assert unreadable(unknown) == [f'{name} is "{unknown}", a code that FatturaPA does not have.']


@pytest.mark.parametrize(("day", "found"), [("2020-12-31", []), ("2021-01-01", ["SDI-00445"])])
def test_the_natures_that_have_a_digit_more_are_said_since_2021(day, found):
    nature = "<Natura>N3</Natura>"
    body = italian_body(
        lines=italian_line(1, "A", "147.00", "0.00", nature),
        rows=italian_row("147.00", "0.00", "0.00", nature),
    )
    assert codes(read(italian(body.replace("2026-03-02", day)))) == found


def test_the_natures_of_a_fund_and_of_what_a_buyer_completes():
    lines = italian_line(1, "A", "100.00", more="<Natura>N6.3</Natura>")
    changes = {
        "lines": lines,
        "rows": italian_row("100.00", "22.00", more="<Natura>N6.3</Natura>"),
        "total": total("122.00"),
        "payments": "",
    }
    assert codes(one(type_code="TD16", **changes)) == []
    assert codes(one(**changes)) == ["SDI-00430", "SDI-00401"]
    fund = CASSA.replace("22.00</AliquotaIVA>", "22.00</AliquotaIVA><Natura>N1</Natura>")
    assert codes(one(general=fund)) == ["SDI-00414", "SDI-00444"]
    assert codes(one(general=CASSA.replace("22.00", "10.00"))) == ["SDI-00419"]


def test_a_discount_in_percent_and_a_tolerance_of_one_unit_are_no_contradictions():
    discount = "<ScontoMaggiorazione><Tipo>SC</Tipo><Percentuale>10.00</Percentuale></ScontoMaggiorazione>"
    line = italian_line(1, "A", "99.50").replace(
        "<PrezzoUnitario>49.75</PrezzoUnitario>", f"<PrezzoUnitario>55.27777778</PrezzoUnitario>{discount}"
    )
    assert codes(one(lines=line + italian_line(2, "B", "24.04", "4.00"))) == []


def test_more_findings_than_a_person_reads_are_counted():
    lines = "".join(italian_line(number, "A", "1.00", "0.00") for number in range(40))
    found = findings(one(lines=lines))
    assert len(found) == 10
    assert found[-1].sentence.endswith("more checks of this invoice fail.")


def test_a_simplified_invoice_states_amounts_with_tax():
    data = (
        b'<p:FatturaElettronicaSemplificata versione="FSM10"'
        b' xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.0"><FatturaElettronicaHeader>'
        b"<CedentePrestatore><IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>01234567890</IdCodice></IdFiscaleIVA>"
        b"<Denominazione>Bar Centrale</Denominazione><Sede><Indirizzo>Via Po 2</Indirizzo><CAP>10124</CAP>"
        b"<Comune>Torino</Comune><Nazione>IT</Nazione></Sede></CedentePrestatore>"
        b"<CessionarioCommittente><IdentificativiFiscali><IdFiscaleIVA><IdPaese>IT</IdPaese>"
        b"<IdCodice>09876543210</IdCodice></IdFiscaleIVA></IdentificativiFiscali><AltriDatiIdentificativi>"
        b"<Denominazione>Ada Studio</Denominazione></AltriDatiIdentificativi></CessionarioCommittente>"
        b"</FatturaElettronicaHeader><FatturaElettronicaBody><DatiGenerali><DatiGeneraliDocumento>"
        b"<TipoDocumento>TD07</TipoDocumento><Divisa>EUR</Divisa><Data>2026-03-02</Data><Numero>S3</Numero>"
        b"</DatiGeneraliDocumento></DatiGenerali><DatiBeniServizi><Descrizione>Lunch</Descrizione>"
        b"<Importo>33.00</Importo><DatiIVA><Imposta>3.00</Imposta></DatiIVA></DatiBeniServizi>"
        b"</FatturaElettronicaBody></p:FatturaElettronicaSemplificata>"
    )
    invoice = read(data)
    assert (invoice.seller.name, invoice.seller.address, invoice.buyer.name) == (
        "Bar Centrale",
        ("Via Po 2", "10124 Torino"),
        "Ada Studio",
    )
    assert (invoice.totals.net, invoice.tax, invoice.totals.gross) == tuple(
        map(Decimal, ("30.00", "3.00", "33.00"))
    )
    by_rate = data.replace(b"<Imposta>3.00</Imposta>", b"<Aliquota>10.00</Aliquota>")
    assert (read(by_rate).totals.net, read(by_rate).tax) == (None, None)
    assert codes(invoice) == []


@pytest.mark.parametrize(
    "namespace",
    [
        "http://www.fatturapa.gov.it/sdi/fatturapa/v1.1",
        "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2",
    ],
)
def test_older_files_and_those_that_qualify_every_name_are_read_alike(namespace):
    new = "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"
    text = italian().decode().replace(new, namespace)
    assert read(text.encode()).number == "15/A"
    unprefixed = text.replace("p:FatturaElettronica", "FatturaElettronica").replace("xmlns:p=", "xmlns=")
    assert read(unprefixed.encode()) == read(italian())


def test_a_file_without_a_body_is_refused():
    with pytest.raises(InvoiceRefusedError, match="no invoice in it"):
        read(invoices.FATTURA_PA.format(bodies="", seller_vat="1").encode())
