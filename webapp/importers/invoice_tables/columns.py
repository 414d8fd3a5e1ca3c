"""The columns of a table of invoices: the mapping's keys, their roles, and their names in headers."""

from collections.abc import Mapping, Sequence
from typing import Final

from webapp.importers.records.record_layouts import TableKind
from webapp.importers.tables import vocabulary
from webapp.importers.tables.vocabulary import words

# The mapping's keys of columns, with the names of these roles in a layout; the other keys are those of any table.
COLUMNS: Final = {
    "number": "number",
    "date": "date",
    "dueDate": "due_date",
    "party": "party",
    "vatId": "vat_id",
    "iban": "iban",
    "net": "net",
    "tax": "tax",
    "total": "total",
    "amountBase": "amount_base",
    "currencyColumn": "currency_column",
    "reference": "reference",
    "description": "description",
}
AMOUNTS: Final = ("net", "tax", "total")
WORDS: Final[Mapping[str, Sequence[str]]] = {
    "number": words("""
        invoice number; invoice no; invoice nr; invoice; invoice id; bill number; bill no; bill; document number;
        document no; doc number; voucher number; number; no; nr; num; rechnungsnummer; rechnungsnr; rechnungs nr;
        rechnung nr; rechnung; re nr; belegnummer; belegnr; beleg nr; belegfeld 1; nummer; facture; numéro de facture;
        n° facture; n° de facture; numéro; factuurnummer; factuur; numero fattura; n fattura; fattura; numero;
        número de factura; nº factura; factura; número; numer faktury; nr faktury; faktura; fakturanummer; fakturanr;
        číslo faktury; laskun numero; számlaszám; номер счета; номер; 发票号码; 請求書番号
    """),
    "date": words("""
        invoice date; date of invoice; issue date; issued on; issued; date issued; bill date; document date; date;
        rechnungsdatum; belegdatum; datum; date de facture; date facture; date d'émission; factuurdatum; data fattura;
        data documento; data; fecha de factura; fecha factura; fecha; data wystawienia; fakturadatum; fakturadato;
        datum vystavení; laskun päiväys; számla kelte; kelt; дата счета; дата; 开票日期; 請求日
    """),
    "due_date": words("""
        due date; due; due on; payment due; payable by; date due; fälligkeitsdatum; fälligkeit; fällig am; fällig;
        zahlungsziel; zahlbar bis; date d'échéance; échéance; vervaldatum; vervaldag; data scadenza; scadenza;
        fecha de vencimiento; vencimiento; data de vencimento; termin płatności; förfallodatum; forfaldsdato;
        forfallsdato; datum splatnosti; splatnost; eräpäivä; fizetési határidő; срок оплаты; 到期日; 支払期限
    """),
    "party": words("""
        customer; customer name; client; client name; supplier; supplier name; vendor; vendor name; contact;
        contact name; company; buyer; seller; name; kunde; kundenname; lieferant; lieferantenname; firma; empfänger;
        kontakt; geschäftspartner; nom du client; fournisseur; klant; klantnaam; leverancier; cliente; fornitore;
        ragione sociale; proveedor; nazwa kontrahenta; kontrahent; nabywca; sprzedawca; kund; leverantör; leverandør;
        odběratel; dodavatel; asiakas; toimittaja; vevő; szállító; покупатель; поставщик; контрагент; 客户; 供应商
    """),
    "vat_id": words("""
        vat id; vat number; vat no; vat reg no; tax id; ust idnr; ust id nr; ust id; umsatzsteuer id; ustid; uid;
        n° tva; numéro de tva; btw nummer; partita iva; p iva; nif; cif; nif iva; nip; vat nr; momsnummer; dič;
        alv tunnus; adószám; инн; 税号
    """),
    "iban": words(
        "iban; account; bank account; konto; bankverbindung; compte; rekening; conto; cuenta; konto bankowe"
    ),
    "net": words("""
        net; net amount; net total; subtotal; sub total; amount excl tax; amount excl vat; total excl tax; total net;
        netto; nettobetrag; summe netto; betrag netto; montant ht; total ht; ht; bedrag excl btw; totaal excl btw;
        imponibile; netto totale; base imponible; base; wartość netto; kwota netto; netto belopp; nettobeløp;
        základ daně; bez dph; veroton; nettó; nettó összeg; сумма без ндс; 不含税金额
    """),
    "tax": words("""
        tax; tax amount; vat; vat amount; total tax; sales tax; gst; ust; mwst; umsatzsteuer; mehrwertsteuer; steuer;
        steuerbetrag; ust betrag; mwst betrag; tva; montant tva; btw; btw bedrag; iva; importo iva; cuota iva;
        cuota; vat kwota; kwota vat; moms; mva; dph; alv; áfa; áfa összeg; ндс; 税额
    """),
    "total": words("""
        total; total amount; gross; gross amount; amount; amount incl tax; amount incl vat; total incl tax;
        invoice amount; invoice total; grand total; brutto; bruttobetrag; summe brutto; summe; gesamtbetrag;
        rechnungsbetrag; betrag; betrag brutto; montant ttc; total ttc; ttc; montant; bedrag incl btw; totaal;
        totaal incl btw; bedrag; totale; importo; importo totale; totale fattura; importe; importe total;
        wartość brutto; kwota brutto; suma; belopp; beløp; beløb; totalt; celkem; částka; s dph; yhteensä; summa;
        bruttó; bruttó összeg; összesen; сумма; итого; 价税合计; 金额; 請求金額
    """),
    "amount_base": words("""
        amount in base; base amount; total in base; amount in base currency; total in base currency; converted total;
        converted amount; betrag in hauswährung; hauswährungsbetrag; betrag hauswährung; basiswährungsbetrag
    """),
    "currency_column": vocabulary.CURRENCY,
    "reference": words("""
        reference; payment reference; ref; customer reference; order number; po number; referenz; zahlungsreferenz;
        verwendungszweck; bestellnummer; référence; betalingskenmerk; kenmerk; riferimento; referencia; ocr; kid;
        variabilní symbol; variable symbol; viitenumero; viite; creditor reference
    """),
    "description": words("""
        description; details; memo; note; notes; subject; title; beschreibung; betreff; notiz; leistung; text;
        buchungstext; libellé; objet; omschrijving; descrizione; oggetto; descripción; concepto; opis; beskrivning;
        beskrivelse; popis; selite; leírás; описание; 备注
    """),
}
# Of the amounts, the total or the net is enough.
INVOICES: Final = TableKind(
    "invoice",
    COLUMNS,
    WORDS,
    {"number": "number of the invoice", "date": "date", "party": "customer or supplier"},
    marks=("number", "date"),
    amounts=("total", "net"),
    figures=AMOUNTS,
    amount="total",
)
