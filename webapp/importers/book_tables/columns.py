"""The columns of tables that move books in: the mapping's keys, their roles, and their names in headers."""

from collections.abc import Mapping, Sequence
from typing import Final

from webapp.importers.invoice_tables import columns as invoices
from webapp.importers.records.record_layouts import TableKind
from webapp.importers.tables import vocabulary
from webapp.importers.tables.vocabulary import words

# The keys of a kind of table, each with its role and the names of that in headers.
Columns = Mapping[str, tuple[str, Sequence[str]]]
ACCOUNT: Final = words("""
    account; account number; account no; account code; account name; ledger account; gl account; nominal code;
    nominal account; konto; kontonummer; konto nr; kontonr; sachkonto; compte; numéro de compte; rekening;
    grootboekrekening; cuenta; conto
""")
DEBIT: Final = words("""
    debit; debit amount; dr; soll; sollbetrag; umsatz soll; saldo soll; betrag soll; débit; debet; debe; dare
""")
CREDIT: Final = words("""
    credit; credit amount; cr; haben; habenbetrag; umsatz haben; saldo haben; betrag haben; crédit; haber; avere
""")
AMOUNT: Final = words("""
    amount; amount in base currency; balance; closing balance; betrag; umsatz; umsatz ohne soll haben kz; saldo;
    endsaldo; schlusssaldo; montant; solde; bedrag; importe; importo
""")
SIDE: Final = words("""
    side; debit credit; dr cr; d c; soll haben; soll haben kennzeichen; s h; sh; s h kennzeichen; sens
""")
DESCRIPTION: Final = words("""
    description; memo description; memo; narration; details; text; buchungstext; beschreibung; libellé; omschrijving;
    concepto; descrizione
""")
# The columns of an amount, which is a debit above zero, and what goes with it.
_AMOUNTS: Final[Columns] = {
    "amount": ("amount", AMOUNT),
    "debit": ("debit", DEBIT),
    "credit": ("credit", CREDIT),
    "side": ("side", SIDE),
    "currencyColumn": ("currency_column", vocabulary.CURRENCY),
    "amountBase": ("amount_base", invoices.WORDS["amount_base"]),
}
_OF_ACCOUNTS: Final[Columns] = {
    "code": (
        "code",
        words("""
            accnt #; account #; accnt; code; number; no; nr;
            account number; account no; account code; nominal code; konto; kontonummer; konto nr;
            kontonr; nummer; numéro; rekeningnummer
        """),
    ),
    "name": (
        "name",
        words("""
            name; account name; account; full name; description; bezeichnung; kontobezeichnung; kontenbezeichnung;
            beschriftung; kontobeschriftung; kontoname; libellé; intitulé; naam; omschrijving; nombre; nome
        """),
    ),
    "type": (
        "type",
        words("type; account type; class; art; kontoart; kontenart; typ; kontotyp; soort; tipo"),
    ),
    "currencyColumn": ("currency_column", vocabulary.CURRENCY),
}
_OF_OPENING: Final[Columns] = {"account": ("account", ACCOUNT), **_AMOUNTS}
_OF_ITEMS: Final[Columns] = {
    "party": ("party", invoices.WORDS["party"]),
    "number": ("number", (*invoices.WORDS["number"], *words("opos nr; op nummer; opos nummer"))),
    "date": ("date", invoices.WORDS["date"]),
    "dueDate": ("due_date", invoices.WORDS["due_date"]),
    "amount": (
        "amount",
        (
            *words(
                "open; open balance; open amount; amount due; balance due; outstanding; offen; offener betrag"
            ),
            *words("offener saldo; restbetrag; offen brutto"),
            *AMOUNT,
            *invoices.WORDS["total"],
        ),
    ),
    "currencyColumn": ("currency_column", vocabulary.CURRENCY),
    "amountBase": ("amount_base", invoices.WORDS["amount_base"]),
    "taxCode": (
        "tax_code",
        words("tax code; vat code; tax; steuerschlüssel; steuerkennzeichen; bu schlüssel"),
    ),
    "base": ("base", words("base; tax base; net; net amount; netto; nettobetrag; bemessungsgrundlage")),
    "tax": ("tax", words("tax amount; vat; vat amount; steuer; steuerbetrag; ust; mwst; umsatzsteuer")),
    "account": ("account", words("control account; ledger account; gl account; sammelkonto; abstimmkonto")),
    "description": ("description", DESCRIPTION),
}
_OF_JOURNAL: Final[Columns] = {
    "entry": (
        "entry",
        words("""
            entry; entry no; entry number; journal no; journal number; trans; trans no; transaction no; transaction id;
            num; no; number; belegnummer; belegnr; beleg nr; belegfeld 1; buchungsnummer; buchungsnr; nr; pièce
        """),
    ),
    "date": (
        "date",
        words(
            "date; posting date; entry date; transaction date; belegdatum; buchungsdatum; datum; fecha; data"
        ),
    ),
    "account": ("account", ACCOUNT),
    "contraAccount": (
        "contra_account",
        words(
            "contra account; offset account; split; gegenkonto; gegenkonto ohne bu schlüssel; tegenrekening"
        ),
    ),
    **_AMOUNTS,
    "party": ("party", invoices.WORDS["party"]),
    "taxCode": ("tax_code", words("tax code; vat code")),
    "taxPoint": ("tax_point", words("tax point; tax date; vat date; steuerdatum; leistungsdatum")),
    "receivedOn": ("received_on", words("received on; received; date received; eingangsdatum; eingang")),
    "reference": ("reference", words("reference; ref; referenz; belegfeld 2")),
    "description": ("description", DESCRIPTION),
    "source": ("source", words("source; quelle")),
}


_FIGURES: Final = ("amount", "debit", "credit")


def _roles(columns: Columns) -> dict[str, str]:
    return {key: role for key, (role, _) in columns.items()}


KINDS: Final[Mapping[str, TableKind]] = {
    "ACCOUNTS": TableKind(
        "account",
        _roles(_OF_ACCOUNTS),
        dict(_OF_ACCOUNTS.values()),
        {"name": "name", "type": "type"},
        marks=("name",),
    ),
    "OPENING": TableKind(
        "balance",
        _roles(_OF_OPENING),
        dict(_OF_OPENING.values()),
        {"account": "account"},
        marks=("account",),
        amounts=_FIGURES,
        figures=_FIGURES,
        amount="amount",
    ),
    "ITEMS": TableKind(
        "item",
        _roles(_OF_ITEMS),
        dict(_OF_ITEMS.values()),
        {"party": "customer or supplier", "number": "number", "date": "date"},
        marks=("number", "date"),
        amounts=("amount", "base"),
        figures=("amount", "base", "tax"),
        amount="amount",
    ),
    "JOURNAL": TableKind(
        "posting",
        _roles(_OF_JOURNAL),
        dict(_OF_JOURNAL.values()),
        {"account": "account", "date": "date"},
        marks=("account",),
        amounts=_FIGURES,
        figures=_FIGURES,
        amount="amount",
    ),
}
