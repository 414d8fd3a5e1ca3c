"""The words that banks head their columns with, in many languages, and those that say in or out."""

import re
from typing import Final

from webapp.ledger.currencies import DIGITS, SUCCESSORS

_SPLIT: Final = re.compile(r"\s*/\s*|[\s_.\-:]+")
_CURRENCY: Final = re.compile(r"(?:\(|\bin )([a-z]{3})\)?$")


def _words(text: str) -> tuple[str, ...]:
    """The words of a list, in their order."""
    return tuple(" ".join(word.split()) for word in text.split(";"))


# In their order: what a bank books on goes before what it says of the purchase.
BOOKED: Final = _words("""
    booking date; date posted; posting date; posted date; post date; posted on; booked on;
    date of booking; booked date; booked; buchungsdatum; buchungstag; buchung; boekdatum; boekingsdatum;
    datum verrekening; date comptable; date de comptabilisation; fecha contable; data contabile;
    data księgowania; datum zaúčtování; datum zaúčtovania; bokföringsdag; bogføringsdato;
    bokføringsdato; bokført dato; kirjauspäivä; könyvelés dátuma; 银行记账日; 记账日期; 记账日;
    入账日期; дата проводки; дата зачисления
""")
DATED: Final = _words("""
    date; transaction date; date of transaction; trans date; txn date; datetime; date time; created utc;
    created; completed date; datum; transactiedatum; fecha; data; date opération; date operation;
    date d'opération; fecha operación; fecha de operación; data operazione; data movimento;
    data operacji; data transakcji; tranzakció dátuma; dátum; dato; päivämäärä; datum transakce;
    datum provedení; transaktionsdatum; transaktionsdag; transaction dt; 交易日期; 交易日; 交易时间;
    日期; дата операции; дата; дата транзакции; 取引日; 日付; 年月日
""")
AMOUNT: Final = _words("""
    amount; transaction amount; net; neto; netto; net amount; amount total; betrag; umsatz;
    buchungsbetrag; importe; importo; montant; bedrag; valor; kwota; kwota operacji; částka; suma;
    objem; tranzakció összege; összeg; belopp; beløb; beløp; määrä; value; quantia;
    amount in account currency; booked amount; transaktionsbetrag; 交易金额; 金额; 发生额; 金額; сумма;
    сумма операции; сумма в валюте счета; 取引金額
""")
DEBIT: Final = _words("""
    debit; debits; debit amount; withdrawal; withdrawals; withdrawal amount; paid out; money out;
    outflow; out; soll; lastschrift; belastung; débit; debet; debito; débito; cargo; cargos; addebito;
    addebiti; dare; uscite; obciążenia; terhelés; ud; ut; 支出; 支出金额; 借方; 借方发生额; расход;
    списание; дебет; 出金; お支払金額; お引出し
""")
CREDIT: Final = _words("""
    credit; credits; credit amount; deposit; deposits; deposit amount; paid in; money in; inflow; in;
    haben; gutschrift; crédit; credito; crédito; abono; abonos; accredito; accrediti; avere; entrate;
    uznania; jóváírás; ind; inn; 存入; 收入; 收入金额; 存入金额; 贷方; 贷方发生额; приход; зачисление;
    кредит; 入金; お預入金額; お預入れ
""")
BALANCE: Final = _words("""
    balance; running balance; account balance; closing balance; balance after; saldo; solde;
    saldo nach buchung; kontostand; saldo po operacji; egyenleg; zůstatek; zostatok; saldo po; 余额;
    账户余额; 本次余额; 联机余额; остаток; баланс; 残高; 差引残高; お預り残高
""")
CURRENCY: Final = _words("""
    currency; ccy; currency code; währung; waehrung; buchungswährung; devise; moneda; divisa; valuta;
    munt; valutacode; waluta; měna; mena; devizanem; tranzakció devizaneme; moeda; 币种; 货币; 交易币种;
    валюта; валюта счета; 通貨
""")
ACCOUNT: Final = _words("""
    account number; account; account no; account id; account name; own account; iban; first bank card; rekening;
    card; auftragskonto; rekeningnummer; iban auftragskonto; cuenta; compte; conto; konto; számlaszám;
    numer rachunku; 账号; 账户; номер счета
""")
DESCRIPTION: Final = _words("""
    description; details; memo; note; notes; label; narrative; particulars; transaction description;
    verwendungszweck; buchungstext; transaktionsbeschreibung; omschrijving; libellé; libelle; concepto;
    descripción; descrizione; causale; opis; tytuł; popis; közlemény; text; tekst; 交易摘要; 摘要;
    交易描述; 交易附言; описание операции; описание; назначение; 摘要内容
""")
COUNTERPARTY: Final = _words("""
    payee; name; partner name; counterparty; counter party; merchant; beneficiary; handelaar; empfänger;
    beguenstigter zahlungspflichtiger; auftraggeber empfänger; tegenrekeninghouder; naam tegenpartij;
    nombre; partner neve; 对手信息; 对方户名; 交易对方; контрагент
""")
REFERENCE: Final = _words("""
    reference; ref; transaction id; reference number; referenz; buchungsreferenz; referencia; référence;
    referentie; id de transacción; transaction reference; balance transaction id; id; 交易单号; 流水号;
    日 志 号; референс проводки
""")
FEE: Final = _words("""
    fee; fees; amount fee; comisión; gebühr; frais; kosten; commission; 手续费; комиссия
""")
STATUS: Final = _words("""
    status; state; transaction status; booking status; transaktionsstatus; umsatzstatus
""")
PENDING: Final = frozenset(
    _words("""
    ausstehend; en attente; in behandeling; pendiente; pending; vorgemerkt
""")
)
UNDONE: Final = frozenset(
    _words("""
    abgelehnt; cancelado; canceled; cancelled; declined; denied; expired; failed; rechazado; refused;
    rejected; reverted; storniert; voided; 交易关闭; 失败
""")
)
OUT: Final = frozenset(
    _words("""
    af; d; dbit; debet; debit; debito; dr; débit; débito; out; outflow; s; soll; withdrawal; расход; 借;
    支出
""")
)
IN: Final = frozenset(
    _words("""
    bij; c; cr; crdt; credit; credito; crédit; crédito; deposit; h; haben; in; inflow; приход; 存入;
    收入; 贷
""")
)
_ALL: Final = frozenset(
    (*BOOKED, *DATED, *AMOUNT, *DEBIT, *CREDIT, *BALANCE, *CURRENCY, *ACCOUNT, *DESCRIPTION, *COUNTERPARTY)
)


def plain(name: str) -> str:
    """A header's name without case, marks and the currency it may end with.

    >>> plain("Betrag (EUR)"), plain(" Created_UTC"), plain("Amount (total)"), plain("Card #")
    ('betrag', 'created utc', 'amount total', 'card')
    """
    folded = " ".join(name.casefold().split())
    if currency_of(folded):
        folded = _CURRENCY.sub("", folded)
    return " ".join(_SPLIT.sub(" ", re.sub(r"[()#*\"]", " ", folded)).split())


def currency_of(name: str) -> str | None:
    """The code that a header's name ends with.

    >>> currency_of("Betrag (EUR)"), currency_of("bedrag in EUR"), currency_of("Amount")
    ('EUR', 'EUR', None)
    """
    found = _CURRENCY.search(" ".join(name.casefold().split()))
    return found[1].upper() if found and found[1].upper() in DIGITS.keys() | SUCCESSORS.keys() else None


def names_column(name: str) -> bool:
    """Tell whether a word heads a column in some bank's file."""
    return plain(name.strip().strip('"')) in _ALL
