"""The names of columns and months in bank exports, in many languages, and the words for in, out, pending and sums."""

import re
from functools import lru_cache
from typing import Final

from webapp.importers.balance_lines import folded_name
from webapp.ledger.currencies import DIGITS, SUCCESSORS

_SPLIT: Final = re.compile(r"\s*/\s*|[\s_.\-:+&'\u2019`\u00b4,]+")
# In brackets behind a name: a zone, a sign, how a date is written.
_ASIDE: Final = re.compile(
    r"\(\s*(?:utc|gmt|ces?t|[ep][sd]t|local time|[dmy]{1,4}(?:[/.\- ][dmy]{1,4})+|optional|\d+)\s*\)"
)
_CURRENCY: Final = re.compile(r"(?:\(\s*|\bin )([A-Za-z]{3})\s*\)?$|(?<=\w )([A-Z]{3})$")
_DOLLARS: Final = re.compile(r"\b([A-Z]{3})\$$")
_SYMBOL: Final = re.compile(r"\(?\s*(€|£|r\$|₽|₹|\$|¥|￥|元|円)\s*\)?$", re.IGNORECASE)
_SYMBOLS: Final = {"€": "EUR", "£": "GBP", "r$": "BRL", "₽": "RUB", "₹": "INR", "元": "CNY", "円": "JPY"}

# Abbreviations are the first letters of these, three or more, unless another month in any language has them too.
MONTH_NAMES: Final = (
    "januar jänner janvier enero gennaio janeiro januari tammikuu styczeń stycznia leden ledna január ianuarie",
    "februar feber février fevrier febrero febbraio fevereiro februari helmikuu luty lutego únor února február",
    "märz maerz mrz mars marzo março marco maart mrt marts maaliskuu marzec marca březen března március martie",
    "april avril abril aprile huhtikuu kwiecień kwietnia duben dubna április aprilie",
    "mai mayo maggio maio mei maj toukokuu maja květen května május",
    "juni juin junio giugno junho kesäkuu czerwiec czerwca červen června június iunie",
    "juli juillet julio luglio julho heinäkuu lipiec lipca červenec července július iulie",
    "august août aout agosto augustus augusti elokuu sierpień sierpnia srpen srpna augusztus",
    "september septembre septiembre settembre setembro syyskuu wrzesień września září szeptember septembrie",
    "oktober octobre octubre ottobre outubro lokakuu październik października říjen října október octombrie",
    "november novembre noviembre novembro marraskuu listopad listopada listopadu noiembrie",
    "dezember décembre decembre diciembre dicembre dezembro december joulukuu grudzień grudnia prosinec prosince",
)


def words(text: str) -> tuple[str, ...]:
    """Return the words of a list as `plain` writes them, in their order."""
    return tuple(dict.fromkeys(_plain(word) for word in text.split(";")))


def _signs(text: str) -> frozenset[str]:
    return frozenset(" ".join(word.split()) for word in text.split(";"))


def _plain(name: str) -> str:
    parts = _SPLIT.sub(" ", re.sub(r"[()#*\"]", " ", _ASIDE.sub(" ", folded_name(name)))).split()
    return " ".join(_SHORT.get(part, part) for part in parts)


# As some banks shorten words.
_SHORT: Final = {
    "amt": "amount",
    "trans": "transaction",
    "tran": "transaction",
    "trx": "transaction",
    "txn": "transaction",
    "dt": "date",
    "desc": "description",
    "bal": "balance",
    "acct": "account",
    "curr": "currency",
    "op": "operation",
}


# In their order of preference: the booking date before the date of the transaction.
BOOKED: Final = words("""
    booking date; posted; date posted; posting date; posted date; post date; posted on; booked on;
    date of booking; booked date; booked; buchungsdatum; buchungstag; buchung; boekdatum; boekingsdatum;
    datum verrekening; date comptable; date de comptabilisation; fecha contable; data contabile; data księgowania;
    datum zaúčtování; datum zaúčtovania; bokföringsdag; bogføringsdato; bokføringsdato; bokført dato;
    kirjauspäivä; könyvelés dátuma; 银行记账日; 记账日期; 记账日; 入账日期; дата проводки; дата зачисления;
    bogført; bokföringsdatum; data contabilizzazione; date processed; дата обработки; дата обработки операции;
    дата платежа; 入账日期时间; date compta; könyvelés napja; datum knjiženja; data registo; data registro;
    posting dt; effective posting date; muhasebe tarihi; ημερομηνία εγγραφής; data înregistrării; datum knjizenja;
    kirjauspvm; boekingsdag; bokforingsdato; fecha de asiento; fecha de contabilización; fecha contabilización;
    data de lançamento contabilístico; run date; settled date; grąžinimo data; fecha de registro; fecha proceso;
    data rozliczenia; dátum účtovania; datum valutácie; datum obrade; könyvelés; 记账时间; 入金日;
    data operațiunii; date d'enregistrement; date de traitement; ledger date; effective date; cleared date;
    data contab; verbuchungsdatum; bogført dato
""")
DATED: Final = words("""
    date; transaction date; date of transaction; trans date; txn date; datetime; date time; created utc; created;
    completed date; datum; transactiedatum; fecha; data; date opération; date operation; date d'opération;
    fecha operación; fecha de operación; data operazione; data movimento; data operacji; data transakcji;
    tranzakció dátuma; dátum; dato; päivämäärä; datum transakce; datum provedení; transaktionsdatum;
    transaktionsdag; transaction dt; 交易日期; 交易日; 交易时间; 日期; дата операции; дата; дата транзакции;
    取引日; 日付; 年月日; dateop; data mov; data lançamento; data lancamento; data do lançamento;
    дата совершения операции; お取引日; ご利用日; 利用日; data tranzacției; data tranzactiei; f operación;
    date utc; timestamp; transaction time; date and time; date de l'opération; date de transaction;
    date transaction; data do movimento; data da operação; data operação; data da transação; işlem tarihi; tarih;
    ημερομηνία; ημερομηνία συναλλαγής; datum transakcije; datum prometa; tapahtumapäivä; maksupäivä;
    operacijos data; tranzakció ideje; tranzakció napja; data operațiunii; fecha mov; fecha movimiento;
    fecha transacción; fecha de transacción; buchungszeit; transdate; txn dt; date completed; completed date utc;
    date of operation; kuupäev; datums; data płatności; datum uskutečnění; dátum zaúčtovania;
    transaction completed date; transaktionstag; umsatzdatum; belegdatum; date opé; f oper; f operacion; jour;
    fecha valuta; fecha hora; fecha y hora; data e hora; data e ora; data hora; fecha del movimiento;
    fecha de movimiento; dia; día; data do pagamento; data pagamento; data pgto; date paiement; tanggal;
    tanggal transaksi; tarikh; ngày; ngày giao dịch; ngày hạch toán; วันที่; วันที่ทำรายการ; 날짜; 거래일;
    거래일자; 거래일시; 거래 일시; תאריך; תאריך עסקה; תאריך רכישה; التاريخ; تاريخ العملية; تاريخ المعاملة;
    дата на трансакция; дата и час; дата и время; дата і час операції; дата і час; дата операції; датум;
    датум на трансакција; dagsetning; 取引日時; 利用日時; ご利用年月日; 年月日時; 操作日; お取り扱い日;
    交易日期时间; 交易发生日; 交易時間; 交易日期 時間
""")
AMOUNT: Final = words("""
    amount; sum; transaction amount; net; neto; netto; net amount; amount total; betrag; umsatz; buchungsbetrag;
    importe; importo; montant; bedrag; valor; kwota; kwota operacji; částka; suma; objem; tranzakció összege;
    összeg; belopp; beløb; beløp; määrä; value; quantia; amount in account currency; booked amount;
    transaktionsbetrag; 交易金额; 金额; 发生额; 金額; сумма; сумма операции; сумма в валюте счета; 取引金額;
    billing amount; posted amount; kwota transakcji; zaúčtovaná částka; částka v měně účtu; suma operacji;
    transaktionsbelopp; määrä euroa; kwota w walucie rachunku; сумма платежа; сумма пересчитанная в валюту счета;
    入出金; 记账金额; 入账金额; montant de l'opération; montant opération; montant en euros; montant euro;
    montante; importância; valor da operação; summa; summe; tutar; işlem tutari; iznos; ποσό; ποσό συναλλαγής;
    bedrag eur; importo operazione; importe eur; suma operacijos; suma tranzacției; suma tranzactiei;
    betrag in eur; amount usd; amount gbp; transaction amt; amt; amount eur; umsatz in eur; beløb i dkk;
    total amount; somme; iznos transakcije; znesek; summas; kiekis; zaúčtovaná suma; suma v mene účtu; monto;
    monto de la operación; monto transacción; importe operación; importe de la operación; valor r$;
    valor do lançamento; montant du mouvement; montant net; jumlah; nominal; amaun; số tiền; số tiền giao dịch;
    จำนวนเงิน; 금액; 거래금액; 거래 금액; סכום; סכום חיוב; المبلغ; مبلغ العملية; сума; сума в валюті картки;
    сума операції; износ; upphæð; ご利用金額; 利用金額; 支払金額; iznos u valuti; iznos eur; vrednost;
    importo eur; importo in euro; bedrag in eur; kwota pln; kwota w pln; bedrag mutatie; amount in eur;
    amount in usd; amount in gbp; net value; transaction value; booking amount; credit debit amount;
    debit credit amount; belopp sek; beløp nok; beløp i nok; belopp i sek
""")
# Where there are several amounts, the one in the account's currency is the booked one.
OF_THE_ACCOUNT: Final = words("""
    amount in account currency; částka v měně účtu; kwota w walucie rachunku; zaúčtovaná částka;
    сумма в валюте счета; сумма пересчитанная в валюту счета; 记账金额; 入账金额; 记账币种; 入账货币;
    валюта счета; account currency; billing currency; billing amount; měna účtu; mena účtu; waluta rachunku;
    kontowährung
""")
DEBIT: Final = words("""
    debit; debits; debit amount; withdrawal; withdrawals; withdrawal amount; paid out; money out; outflow; out;
    soll; lastschrift; belastung; débit; debet; debito; débito; cargo; cargos; addebito; addebiti; dare; uscite;
    obciążenia; terhelés; ud; ut; 支出; 支出金额; 借方; 借方发生额; расход; списание; дебет; 出金; お支払金額;
    お引出し; debe; ut fra konto; saídas; egresos; retiros; výdaje; wypłaty; wydatki; débit euros; debit euros;
    记账金额 支出; 支払い金額; お支払い金額; お引出金額; 引出金額; amount debit; withdrawal -; debit -; debits -;
    debetas; duguje; terhelések; χρέωση; borç; uttag; uttak; debitas; kiadás; isplate; isplata; odliv; ödeme;
    gider; otto; panot pois; pagos; retiradas; cargos eur; addebiti euro; dare euro; paid out gbp; amount out;
    payments; payment; spent; money out gbp; débits; débitos; retraits; retrait; dépenses; abgang; ausgaben;
    ausgabe; lastschriften; belastungen; af; afschrijving; bedrag af; vydané; výběr; monto debe; débito r$;
    importe debe; importe cargo; funds out; money spent; withdrawals amount; withdraw; payments out; debit value;
    debit amounts; sortie; sorties; débit eur; debit eur; dépense; débits eur; salida; salidas; egreso; gastos;
    gasto; saída; pengeluaran; debit idr; keluar; ghi nợ; số tiền ghi nợ; rút; nợ; ถอนเงิน; ถอน; 출금; 출금액;
    출금금액; 찾으신금액; חובה; مدين; сума дебет; витрати; списання; дебет оборот; v breme; breme; teret;
    na teret; obveza; zaduženje; isplaćeno; izdatak; odchozí; odpis; debe eur; お支払い; お引き出し; 出金金額;
    出金額; 引落金額; 支出金額; sollumsatz; soll umsatz; utbetalning; utbetaling; utgift; uit; uitgaven;
    veloitus; veloitukset; terećenje; terećenja; debets; deebet; дебит; na vrub; hævet
""")
CREDIT: Final = words("""
    credit; credits; credit amount; deposit; deposits; deposit amount; paid in; money in; inflow; in; haben;
    gutschrift; crédit; credito; crédito; abono; abonos; accredito; accrediti; avere; entrate; uznania; jóváírás;
    ind; inn; 存入; 收入; 收入金额; 存入金额; 贷方; 贷方发生额; приход; зачисление; кредит; 入金; お預入金額;
    お預入れ; haber; inn på konto; entradas; ingresos; depósitos; příjmy; wpłaty; wpływy; crédit euros;
    credit euros; 记账金额 收入; 預かり金額; お預り金額; お預け入れ額; 預入金額; amount credit; deposit +;
    credit +; credits +; kreditas; potražuje; jóváírások; πίστωση; alacak; insättning; innskudd; bevétel; uplate;
    uplata; priliv; yatan; gelir; pano; abonos eur; accrediti euro; avere euro; paid in gbp; amount in; receipts;
    receipt; received; money in gbp; crédits; créditos; versements; dépôts; dépôt; recettes; zugang; einnahmen;
    einnahme; gutschriften; bij; bijschrijving; bedrag bij; přijaté; vklad; monto haber; crédito r$;
    importe haber; importe abono; funds in; money received; deposits amount; payments in; credit value;
    credit amounts; entrée; entrées; crédit eur; credit eur; recette; crédits eur; entrada; ingreso; entrada eur;
    pemasukan; kredit; masuk; ghi có; số tiền ghi có; gửi; có; ฝากเงิน; ฝาก; 입금; 입금액; 입금금액; 맡기신금액;
    זכות; دائن; сума кредит; надходження; зарахування; кредит оборот; v dobro; dobro; u korist; korist;
    potraživanje; odobrenje; uplaćeno; primitak; příchozí; připsáno; haber eur; お預かり金額; 入金金額; 入金額;
    預入額; habenumsatz; haben umsatz; inbetalning; innbetaling; inkomsten; inntekt;
    hyvitys; hyvitykset; odobrenja; kredīts; kreedit; ve prospěch; indsat
""")
BALANCE: Final = words("""
    balance; running balance; account balance; closing balance; balance after; saldo; solde; saldo nach buchung;
    kontostand; saldo po operacji; egyenleg; zůstatek; zostatok; saldo po; 余额; 账户余额; 本次余额; 联机余额;
    остаток; баланс; 残高; 差引残高; お預り残高; running bal; saldo na trn; saldo na mutatie; saldo po transakcji;
    saldo contabilístico; saldo contabile; saldo contable; bokfört saldo; solde progressif; お預入残高;
    cash balance; available balance; ending balance; ledger balance; balance usd; balance gbp; kontosaldo; stanje;
    bakiye; kalan bakiye; υπόλοιπο; likutis; sold; sold final; saldo disponible; saldo disponibile; saldo final;
    novo saldo; saldo atual; saldo eur; könyvelt egyenleg; aktuální zůstatek; solde après opération; tilin saldo;
    balance after transaction; new balance; saldo efter; saldo etter; saldo r$; saldo do dia; saldo después;
    saldo posterior; solde eur; solde en euros; saldo akhir; baki; số dư; số dư cuối; ยอดคงเหลือ; คงเหลือ; 잔액;
    거래후잔액; 거래 후 잔액; יתרה; יתרה בש ח; الرصيد; залишок; залишок після операції; салдо; staða;
    zostatok po transakcii; zůstatek po transakci; stanje po transakciji; 取引後残高; total balance;
    balance amount; remaining balance; account running balance; current balance; kontostand nach buchung;
    post transaction balance
""")
CURRENCY: Final = words("""
    currency; ccy; currency code; währung; waehrung; buchungswährung; devise; moneda; divisa; valuta; munt;
    valutacode; waluta; měna; mena; devizanem; tranzakció devizaneme; moeda; 币种; 货币; 交易币种; валюта;
    валюта счета; 通貨; whg; devies; valuutta; 币别; 记账币种; 入账货币; 交易货币; billing currency; měna účtu;
    account currency; валюта платежа; para birimi; döviz; νόμισμα; valiuta; monedă; valūta; moeda da conta;
    divisa cuenta; rahayksikkö; transaction currency; mena účtu; fx; devise du compte; mata uang; loại tiền;
    สกุลเงิน; 통화; מטבע; العملة; валюта картки; gjaldmiðill; валута; currency name; account ccy; transaction ccy;
    kontowährung; waluta rachunku; valiutos kodas; valuta kod
""")
ACCOUNT: Final = words("""
    account number; account; account no; account id; account name; own account; iban; first bank card; rekening;
    card; auftragskonto; rekeningnummer; iban auftragskonto; cuenta; compte; conto; konto; számlaszám;
    numer rachunku; 账号; 账户; номер счета; iban bban; bank account; accountnum; číslo účtu
""")
DESCRIPTION: Final = words("""
    description; details; memo; note; notes; label; narrative; particulars; transaction description;
    verwendungszweck; buchungstext; transaktionsbeschreibung; omschrijving; libellé; libelle; concepto;
    descripción; descrizione; causale; opis; tytuł; popis; közlemény; text; tekst; 交易摘要; 摘要; 交易描述;
    交易附言; описание операции; описание; назначение; 摘要内容; avisierungstext; transaction details;
    transaction remarks; buchungs details; beschreibung; beskrivelse; beskrivning; forklaring; histórico;
    historico; lançamento; selitys; opis operacji; opis transakcji; narration; 入出金先内容; 商品说明; 商品;
    dettagli; mededelingen; original description; descrição; descricao; descritivo; açiklama; περιγραφή;
    αιτιολογία; selite; viesti; opis prometa; opis plaćanja; detalii; detalii tranzacție; mokėjimo paskirtis;
    paskirtis; rörelse; concepto movimiento; descripción del movimiento; detalle; detalles; glosa;
    referencia y concepto; motif; objet; keterangan; uraian; diễn giải; nội dung; nội dung giao dịch; รายละเอียด;
    รายการ; 적요; 내용; 거래내용; תיאור; תיאור פעולה; פרטים; البيان; الوصف; опис операції;
    описание на трансакцията; skýring; texti; お取り扱い内容; お取扱内容; 適用; 内容; ご利用店名; narrative 1;
    payment details; transaction narrative; transaction detail; details of payment; comment; comments; purpose;
    remarks; remark; kommentar; meddelelse; melding; meddelande; komentář; zpráva pro příjemce
""")
COUNTERPARTY: Final = words("""
    payee; name; partner name; counterparty; counter party; merchant; beneficiary; handelaar; empfänger;
    beguenstigter zahlungspflichtiger; auftraggeber empfänger; tegenrekeninghouder; naam tegenpartij; nombre;
    partner neve; 对手信息; 对方户名; 交易对方; контрагент; naam omschrijving; counterparty name; partnername;
    name zahlungsbeteiligter; begünstigter auftraggeber; nadawca odbiorca; dane kontrahenta; název protiúčtu;
    saaja maksaja; payee name; merchant name; saaja; maksaja; primatelj; platitelj; primatelj platitelj; gavėjas;
    mokėtojas; gavėjas mokėtojas; alici; mottagare
""")
REFERENCE: Final = words("""
    reference; ref; transaction id; reference number; referenz; buchungsreferenz; referencia; référence;
    referentie; id de transacción; transaction reference; balance transaction id; id; 交易单号; 流水号; 日 志 号;
    референс проводки
""")
FEE: Final = words("""
    fee; fees; amount fee; comisión; gebühr; frais; kosten; commission; 手续费; комиссия; fee amount; total fees;
    bank fee; transaction fee; charges; charge; fees comm; conversion charge; commissione; commissioni; spese;
    comisiones; gebühren; spesen; entgelt; commissions; provisie; prowizja; opłata; poplatek; poplatky; avgift;
    gebyr; díj; jutalék; taxa; ücret; komisyon; provizija; προμήθεια; комісія; 手数料
""")
ORIGINAL_AMOUNT: Final = words("""
    original amount; local amount; foreign amount; foreign currency amount; amount foreign currency;
    amount in foreign currency; instructed amount; source amount; exchange to amount; originalbetrag;
    ursprungsbetrag; betrag fremdwährung; fremdwährungsbetrag; betrag in fremdwährung; betrag ursprungswährung;
    montant d'origine; montant en devise; importe original; importe en divisa; importo originale;
    importo in divisa; oorspronkelijk bedrag; originalbelopp; původní částka; kwota oryginalna; montante original;
    eredeti összeg; oprindeligt beløb
""")
ORIGINAL_CURRENCY: Final = words("""
    original currency; local currency; foreign currency; type foreign currency; instructed currency;
    source currency; exchange to; original ccy; originalwährung; ursprungswährung; fremdwährung; devise d'origine;
    divisa original; divisa originale; oorspronkelijke valuta; originalvaluta; původní měna; waluta oryginalna;
    moeda original; eredeti devizanem
""")
EXCHANGE_RATE: Final = words("""
    exchange rate; currency exchange rate; rate; fx rate; conversion rate; wechselkurs; kurs; umrechnungskurs;
    devisenkurs; taux de change; taux; tipo de cambio; cambio; tasso di cambio; wisselkoers; koers; växelkurs;
    valutakurs; směnný kurz; kurz; kurs wymiany; taxa de câmbio; árfolyam; курс; 汇率
""")
VALUE: Final = words("""
    value date; value dt; value day; valutadatum; wertstellung; wertstellungstag; wertstellungsdatum; wert;
    valuta; date valeur; date de valeur; data valuta; fecha valor; fecha de valor; f valor; data valor;
    data de valor; data waluty; data valutei; valörtarihi; valör; settlement date; settle date; rentedatum;
    datum valute; valutadag; valutadato; rentedato; valuuttapäivä; arvopäivä; értéknap; datum valuty;
    dátum valuty; ημερομηνία αξίας; valör tarihi
""")
STATUS: Final = words("""
    stato; статус; 交易状态; 当前状态; status; state; transaction status; booking status; transaktionsstatus;
    umsatzstatus; statut; estado; situação; situacao; durum; stav; stan; tila; állapot; status transakcji;
    payment status; stato operazione; κατάσταση; būsena; stare; stanje naloga; estado operación; état
""")
OUT: Final = _signs("""
    -; af; ausgang; d; dbit; expense; 借 dr; debet; debit; debito; dr; débit; débito; out; outflow; s; soll;
    withdrawal; расход; 借; 支出; debetas; wn
""")
IN: Final = _signs("""
    +; bij; c; cr; eingang; income; 贷 cr; crdt; credit; credito; crédit; crédito; deposit; h; haben; in; inflow;
    приход; 存入; 收入; 贷; kreditas
""")
# Words within a text that says where the money of its row went; a column is trusted where each row has one of them.
_OUTWARD: Final = OUT | _signs("""
    debits; debited; withdrawals; outgoing; spent; lastschrift; belastung; abbuchung; auszahlung; dauerauftrag;
    kartenzahlung; cargo; retiro; addebito; uscita; prelievo; prélèvement; retrait; afschrijving; opname; uttag;
    uttak; udbetaling; wypłata; obciążenie; výběr
""")
_INWARD: Final = IN | _signs("""
    credits; credited; deposits; incoming; received; salary; gutschrift; zugang; einzahlung; gehalt; abono;
    ingreso; nómina; accredito; entrata; stipendio; versement; salaire; bijschrijving; storting; insättning; lön;
    innskudd; lønn; indbetaling; wpłata; uznanie; vklad; jóváírás
""")
_LETTERS: Final = re.compile(r"[^\W\d_]{3,}")
# Words in the names of columns that only an account has, since they belong to transfers.
OF_TRANSFERS: Final = frozenset(
    folded_name(
        "bic blz glaubiger gläubiger gläubigerid iban ktonr mandat mandatsreferenz mandate sepa swift"
    ).split()
)
# Words in the names of columns that a list of a card has.
OF_CARDS: Final = frozenset(
    folded_name(
        "card cardholder cardmember carta carte cartao kaart kaartnummer karte kartennummer karty kort kreditkarte"
        " kreditkartennummer tarjeta"
    ).split()
)
# Marks of a sign in a column of their own, which not every row has.
CREDIT_OR_DEBIT: Final = frozenset({"cr", "dr", "credit", "debit", "crdt", "dbit", "haben", "soll"})
_ALL: Final = frozenset(
    (*BOOKED, *DATED, *AMOUNT, *DEBIT, *CREDIT, *BALANCE, *CURRENCY, *ACCOUNT, *DESCRIPTION, *COUNTERPARTY)
)


def plain(name: str) -> str:
    """Return a column's name without case, punctuation and a currency at its end.

    >>> plain("Betrag (EUR)"), plain(" Created_UTC"), plain("Amount (total)"), plain("Card #"), plain("Saldo CHF")
    ('betrag', 'created utc', 'amount total', 'card', 'saldo')
    >>> plain("Betrag (€)"), plain("金额(元)"), plain("Withdrawal Amount (INR )"), plain("EUR"), plain("Total")
    ('betrag', '金额', 'withdrawal amount', 'eur', 'total')
    """
    whole = " ".join(name.split())
    shorter = _SYMBOL.sub("", _CURRENCY.sub("", whole) if currency_of(whole) else whole).strip()
    return _plain(shorter or whole)


def currency_of(name: str) -> str | None:
    """Return the currency code at the end of a column's name, or of its unambiguous symbol.

    >>> currency_of("Betrag (EUR)"), currency_of("bedrag in EUR"), currency_of("Amount"), currency_of("Saldo CHF")
    ('EUR', 'EUR', None, 'CHF')
    >>> currency_of("Betrag (€)"), currency_of("Amount ($)"), currency_of("Paid all"), currency_of("CAD$")
    ('EUR', None, None, 'CAD')
    """
    whole = " ".join(name.split())
    if (dollars := _DOLLARS.search(whole)) and dollars[1] in DIGITS:
        return dollars[1]
    if symbol := _SYMBOL.search(whole):
        return _SYMBOLS.get(symbol[1].lower())
    found = _CURRENCY.search(whole)
    code = (found[1] or found[2]).upper() if found else ""
    return code if code in DIGITS.keys() | SUCCESSORS.keys() else None


@lru_cache(10_000)
def direction_of(text: str) -> bool | None:
    """Return whether the words of a text say money in, or money out, or None where they say neither or both.

    >>> direction_of("Credit Transfer"), direction_of("Debit Transfer"), direction_of("Debit or credit")
    (True, False, None)
    """
    words = set(_LETTERS.findall(text.casefold())) or {text.casefold()}
    is_in, is_out = not words.isdisjoint(_INWARD), not words.isdisjoint(_OUTWARD)
    return is_in if is_in != is_out else None


def names_column(name: str) -> bool:
    """Return whether a word names a column in some bank's export."""
    return plain(name.strip().strip('"')) in _ALL
