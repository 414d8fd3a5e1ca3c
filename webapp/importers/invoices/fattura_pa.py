"""Italian e-invoices: FatturaPA (FPA12, FPR12), its older versions 1.0 and 1.1, and the simplified one (FSM10).

The format is that of the technical specifications of the Agenzia delle Entrate and SOGEI for the Sistema di
Interscambio (Allegato A, "Specifiche tecniche fatturazione elettronica", version 1.9 of 2025, with the schema
FatturaPA 1.2.3 and VFSM10), https://www.fatturapa.gov.it/it/norme-e-regole/documentazione-fattura-elettronica.

One file may have several invoices, its bodies, under one head. It states no net and no tax as a whole: they are
the sums of its rows by rate, and the only figures here that are added up, with those that `made` names.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from webapp.importers.invoices.records import (
    Adjustment,
    Instalment,
    Invoice,
    InvoiceLine,
    InvoiceRefusedError,
    InvoiceTotals,
    Party,
    Payment,
    Syntax,
    TaxTotal,
    VatRow,
    Withholding,
)
from webapp.importers.invoices.rules.arithmetic import add, minus, sum_of
from webapp.importers.invoices.trees import Node
from webapp.importers.invoices.values import MOST_SENTENCES, InvoiceValues

SIMPLIFIED: Final = "FatturaElettronicaSemplificata"
ROOTS: Final = frozenset({"FatturaElettronica", SIMPLIFIED})
# Types (TipoDocumento) of notes that take back; every other one asks for money, or supplements another invoice.
_CREDIT_NOTES: Final = frozenset({"TD04", "TD08"})


def _numbered(prefix: str, *numbers: range) -> frozenset[str]:
    return frozenset(f"{prefix}{number:02}" for each in numbers for number in each)


# The closed lists of both schemas. RF03, SDI10 and SDI11 are those of versions 1.0 and 1.1.
_CODES: Final = {
    "FormatoTrasmissione": frozenset({"FPA12", "FPR12", "FSM10", "SDI10", "SDI11"}),
    "TipoDocumento": _numbered("TD", range(1, 10), range(16, 30)),
    "RegimeFiscale": _numbered("RF", range(1, 21)),
    "ModalitaPagamento": _numbered("MP", range(1, 24)),
    "CondizioniPagamento": _numbered("TP", range(1, 4)),
    "TipoCassa": _numbered("TC", range(1, 23)),
    "TipoRitenuta": _numbered("RT", range(1, 7)),
    "CausalePagamento": frozenset((*"ABCDEGHILMNOPQRSTUVWXYZ", "L1", "M1", "M2", "O1", "V1", "ZO")),
    "EsigibilitaIVA": frozenset("DIS"),
    "Natura": frozenset(
        (
            *(f"N{number}" for number in range(1, 8)),
            *("N2.1", "N2.2"),
            *(f"N3.{number}" for number in range(1, 7)),
            *(f"N6.{number}" for number in range(1, 10)),
        )
    ),
}
_NOTHING: Final = Node("", {})
_ZERO: Final = Decimal(0)


@dataclass(frozen=True, slots=True)
class _Head:
    """What the bodies of a file have in common."""

    profile: str | None
    seller: Party
    buyer: Party
    representative_vat_id: str | None


def read(root: Node) -> tuple[Invoice, ...]:
    """Read each invoice of a file from its tree; raises InvoiceRefusedError where it has none."""
    header = root.first("FatturaElettronicaHeader") or _NOTHING
    head = _Head(
        header.value("DatiTrasmissione", "FormatoTrasmissione") or root.attributes.get("versione"),
        _party(header.first("CedentePrestatore")),
        _party(header.first("CessionarioCommittente")),
        _vat_id(
            header.first("RappresentanteFiscale", "DatiAnagrafici") or header.first("RappresentanteFiscale")
        ),
    )
    bodies = list(root.all("FatturaElettronicaBody"))
    if not bodies:
        raise InvoiceRefusedError(
            "The FatturaPA has no invoice in it (FatturaElettronicaBody); ask for it again."
        )
    of_kind = _simplified if root.name == SIMPLIFIED else _ordinary
    return tuple(_with_codes(of_kind(each, head), header, each) for each in bodies)


def _with_codes(invoice: Invoice, *parts: Node) -> Invoice:
    """Name the codes that are in none of the closed lists; raise InvoiceRefusedError for a type, which has the sign."""
    unknown = {
        (node.name, node.text): None
        for part in parts
        for node in part.descendants()
        if node.text and node.text not in _CODES.get(node.name, {node.text})
    }
    if ("TipoDocumento", invoice.type_code) in unknown:
        raise InvoiceRefusedError(
            f'The invoice is of the type "{(invoice.type_code or "")[:60]}", which FatturaPA does not have: it cannot'
            " be told whether it asks for money or gives it back."
        )
    sentences = [f'{name} is "{text[:60]}", a code that FatturaPA does not have.' for name, text in unknown]
    return replace(invoice, unreadable=(*invoice.unreadable, *sentences)[:MOST_SENTENCES])


def _ordinary(body: Node, head: _Head) -> Invoice:
    values = InvoiceValues()
    general = body.first("DatiGenerali", "DatiGeneraliDocumento") or _NOTHING
    goods = body.first("DatiBeniServizi") or _NOTHING
    rows = tuple(_row(each, values) for each in goods.all("DatiRiepilogo"))
    withholdings = tuple(_withholding(each, values) for each in general.all("DatiRitenuta"))
    payments = list(body.all("DatiPagamento", "DettaglioPagamento"))
    instalments = tuple(_instalment(each, values) for each in payments)
    taxes = _sum(row.tax for row in rows)
    currency = general.value("Divisa")
    return Invoice(
        **_identity(general, head, values),
        due_on=min((each.due_on for each in instalments if each.due_on), default=None),
        preceding=tuple(
            each.text for each in body.all("DatiGenerali", "DatiFattureCollegate", "IdDocumento")
        ),
        payment=Payment(
            means=next((each.means for each in instalments if each.means), None),
            remittance=_first(payments, "CodicePagamento"),
            account=_first(payments, "IBAN"),
        ),
        totals=_totals(general, rows, withholdings, instalments, values),
        tax_totals=() if taxes is None else (TaxTotal(taxes, currency, rows),),
        rows=rows,
        adjustments=(
            *(_fund(each, values) for each in general.all("DatiCassaPrevidenziale")),
            *(_adjustment(each, values) for each in general.all("ScontoMaggiorazione")),
        ),
        lines=tuple(_line(each, values) for each in goods.all("DettaglioLinee")),
        withholdings=withholdings,
        instalments=instalments,
        attachments=sum(1 for _ in body.all("Allegati")),
        unreadable=tuple(values.unreadable),
    )


def _simplified(body: Node, head: _Head) -> Invoice:
    """Read a simplified invoice, whose lines state amounts with tax, and the tax or its rate."""
    values = InvoiceValues()
    general = body.first("DatiGenerali", "DatiGeneraliDocumento") or _NOTHING
    parts = list(body.all("DatiBeniServizi"))
    amounts = [values.decimal(each, "Importo") for each in parts]
    taxes = [values.decimal(each, "DatiIVA", "Imposta") for each in parts]
    # A part whose tax is stated by its rate alone leaves the net unknown; one without VAT has none.
    are_stated = all(tax is not None or each.value("Natura") for each, tax in zip(parts, taxes, strict=True))
    gross = _sum(amounts)
    tax = (_sum(taxes) or _ZERO) if are_stated and gross is not None else None
    return Invoice(
        **_identity(general, head, values),
        preceding=tuple(
            each.text for each in body.all("DatiGenerali", "DatiFatturaRettificata", "NumeroFR") if each.text
        ),
        totals=InvoiceTotals(net=add(gross, minus(tax)), gross=gross),
        tax_totals=() if tax is None else (TaxTotal(tax, general.value("Divisa")),),
        lines=tuple(
            InvoiceLine(
                str(number),
                each.value("Descrizione"),
                net=add(amount, minus(line_tax)),
                category=each.value("Natura"),
                rate=values.decimal(each, "DatiIVA", "Aliquota"),
            )
            for number, (each, amount, line_tax) in enumerate(zip(parts, amounts, taxes, strict=True), 1)
        ),
        attachments=sum(1 for _ in body.all("Allegati")),
        unreadable=tuple(values.unreadable),
    )


def _identity(general: Node, head: _Head, values: InvoiceValues) -> dict[str, Any]:
    """Return what tells one invoice from another, under the names of the record."""
    type_code = general.value("TipoDocumento")
    return {
        "syntax": Syntax.FATTURA_PA,
        "type_code": type_code,
        "number": general.value("Numero"),
        "profile": head.profile,
        "issued_on": values.day(general, "Data"),
        "currency": general.value("Divisa"),
        "seller": head.seller,
        "buyer": head.buyer,
        "representative_vat_id": head.representative_vat_id,
        "is_credit_note": type_code in _CREDIT_NOTES,
    }


def _party(party: Node | None) -> Party:
    """Read a party; the simplified format has the same facts in other groups."""
    if party is None:
        return Party()
    facts = party.first("DatiAnagrafici") or party.first("IdentificativiFiscali") or party
    names = facts.first("Anagrafica") or party.first("AltriDatiIdentificativi") or facts
    seat = party.first("Sede") or party.first("AltriDatiIdentificativi", "Sede") or _NOTHING
    person = " ".join(each for each in (names.value("Nome"), names.value("Cognome")) if each)
    register = (party.value("IscrizioneREA", "Ufficio"), party.value("IscrizioneREA", "NumeroREA"))
    vat_id, tax_number = _vat_id(facts), facts.value("CodiceFiscale")
    return Party(
        name=names.value("Denominazione") or person or None,
        vat_id=vat_id,
        tax_number=tax_number,
        registration=" ".join(each for each in register if each) or None,
        country=seat.value("Nazione"),
        address=_address(seat),
    )


def _address(seat: Node) -> tuple[str, ...]:
    town = (seat.value("CAP"), seat.value("Comune"), seat.value("Provincia"))
    rows = ((seat.value("Indirizzo"), seat.value("NumeroCivico")), town)
    joined = (" ".join(each for each in row if each) for row in rows)
    return tuple(each for each in joined if each)


def _vat_id(facts: Node | None) -> str | None:
    if facts is None:
        return None
    code = facts.value("IdFiscaleIVA", "IdCodice")
    return None if code is None else f"{facts.value('IdFiscaleIVA', 'IdPaese') or ''}{code}"


def _totals(
    general: Node,
    rows: tuple[VatRow, ...],
    withholdings: tuple[Withholding, ...],
    instalments: tuple[Instalment, ...],
    values: InvoiceValues,
) -> InvoiceTotals:
    net, tax = _sum(row.base for row in rows), _sum(row.tax for row in rows)
    gross, made = values.decimal(general, "ImportoTotaleDocumento"), []
    rounding = values.decimal(general, "Arrotondamento")
    if gross is None and net is not None:
        gross = add(net, tax, rounding or _ZERO)
        made.append("gross")
    withheld, split = (
        _sum(each.amount for each in withholdings),
        _sum(row.tax for row in rows if row.is_split),
    )
    owed = add(gross, minus(withheld or _ZERO), minus(split or _ZERO))
    due = _due([each.amount for each in instalments if each.amount is not None], owed)
    if due is None and (withheld or split):
        due = owed
        made.append("due")
    return InvoiceTotals(
        net=net,
        gross=gross,
        rounding=rounding,
        due=due,
        withheld=withheld,
        split_tax=split,
        stamp=values.decimal(general, "DatiBollo", "ImportoBollo"),
        made=tuple(made),
    )


def _due(amounts: list[Decimal], owed: Decimal | None) -> Decimal | None:
    """Return what is to be paid: all parts together, or one of several ways to pay the whole."""
    if not amounts:
        return None
    if len(amounts) > 1 and all(amount == owed for amount in amounts):
        return owed
    return sum_of(amounts)


def _row(row: Node, values: InvoiceValues) -> VatRow:
    parts = (values.decimal(row, "SpeseAccessorie"), values.decimal(row, "Arrotondamento"))
    return VatRow(
        values.decimal(row, "ImponibileImporto"),
        values.decimal(row, "Imposta"),
        row.value("Natura"),
        values.decimal(row, "AliquotaIVA"),
        row.value("RiferimentoNormativo"),
        parts=tuple(each for each in parts if each is not None),
        is_split=row.value("EsigibilitaIVA") == "S",
    )


def _withholding(node: Node, values: InvoiceValues) -> Withholding:
    return Withholding(
        node.value("TipoRitenuta"),
        values.decimal(node, "ImportoRitenuta"),
        values.decimal(node, "AliquotaRitenuta"),
        node.value("CausalePagamento"),
    )


def _instalment(node: Node, values: InvoiceValues) -> Instalment:
    return Instalment(
        values.decimal(node, "ImportoPagamento"),
        values.day(node, "DataScadenzaPagamento"),
        node.value("ModalitaPagamento"),
    )


def _fund(node: Node, values: InvoiceValues) -> Adjustment:
    """Read a contribution to the seller's pension fund, which is charged to the buyer."""
    return Adjustment(
        is_charge=True,
        amount=values.decimal(node, "ImportoContributoCassa"),
        base=values.decimal(node, "ImponibileCassa"),
        category=node.value("Natura"),
        rate=values.decimal(node, "AliquotaIVA"),
        reason=node.value("TipoCassa"),
    )


def _adjustment(node: Node, values: InvoiceValues) -> Adjustment:
    """Read a discount (SC) or a surcharge (MG); the rate here is that of the discount, where no amount is stated."""
    return Adjustment(
        is_charge=node.value("Tipo") == "MG",
        amount=values.decimal(node, "Importo"),
        rate=values.decimal(node, "Percentuale"),
        reason=node.value("Tipo"),
    )


def _line(line: Node, values: InvoiceValues) -> InvoiceLine:
    return InvoiceLine(
        line.value("NumeroLinea"),
        line.value("Descrizione"),
        values.decimal(line, "Quantita"),
        line.value("UnitaMisura"),
        values.decimal(line, "PrezzoTotale"),
        values.decimal(line, "PrezzoUnitario"),
        category=line.value("Natura"),
        rate=values.decimal(line, "AliquotaIVA"),
        adjustments=tuple(_adjustment(each, values) for each in line.all("ScontoMaggiorazione")),
        is_withheld=line.value("Ritenuta") == "SI",
    )


def _first(nodes: list[Node], name: str) -> str | None:
    return next((found for each in nodes if (found := each.value(name))), None)


def _sum(figures: Iterable[Decimal | None]) -> Decimal | None:
    """Add the figures that are there; None where none is."""
    found = [each for each in figures if each is not None]
    return sum_of(found) if found else None
