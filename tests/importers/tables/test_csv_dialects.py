"""The tables of many banks are read without a mapping, and where one could be read wrongly they are asked about."""

from datetime import date
from decimal import Decimal

import pytest

from webapp.importers import FileRefusedError, read

DIALECTS = {
    "Barclays": (
        "Number,Date,Account,Amount,Subcategory,Memo\n"
        " ,29/01/2024,20-00-00 1,-12.50,PAYMENT,Tea\n ,30/01/2024,20-00-00 1,-2.50,PAYMENT,Jam\n"
    ),
    "two header rows": "Date,Description,Amount\n(dd/mm/yyyy),,(GBP)\n29/01/2024,Tea,-12.50\n30/01/2024,Jam,-2.50\n",
    "DKB": (
        '"Girokonto";"DE89"\n"Kontostand vom 31.01.2024:";"187,50 €"\n""\n'
        '"Buchungsdatum";"Status";"Zahlungsempfänger*in";"Verwendungszweck";"Betrag (€)"\n'
        '"29.01.24";"Gebucht";"Shop";"Tea";"-12,5"\n"30.01.24";"Gebucht";"Shop";"Jam";"-2,5"\n'
    ),
    "Crédit Agricole": (
        "Compte n° 123;\nSolde au 31/01/2024 187,50 €\n\nDate;Libellé;Débit euros;Crédit euros;\n"
        '29/01/2024;"PAIEMENT\nTea";12,50;;\n30/01/2024;"PAIEMENT\nJam";2,50;;\nTotal;;15,00;;\n'
    ),
    "ZKB": (
        '"Datum";"Buchungstext";"Whg";"Belastung CHF";"Gutschrift CHF";"Saldo CHF"\n'
        '"30.01.2024";"Jam";"";"2.50";"";"85.00"\n"29.01.2024";"Tea";"";"12.50";"";"87.50"\n'
    ),
    "ICICI": (
        "S No.,Value Date,Transaction Date,Transaction Remarks,Withdrawal Amount (INR ),Deposit Amount (INR )\n"
        "1,29/01/2024,29/01/2024,Tea,12.50,0\n2,30/01/2024,30/01/2024,Jam,2.50,0\n"
    ),
    "Bradesco": (
        "Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$)\n"
        '29/01/24;Tea;1;;"12,50";"87,50"\n30/01/24;Jam;2;;"2,50";"85,00"\n;;Total;"0,00";"15,00";"85,00"\n'
    ),
    "Monzo": (
        "Date,Time,Name,Amount,Currency,Local amount,Local currency,Money Out,Money In\n"
        "29/01/2024,12:00:01,Tea,-12.50,GBP,-12.50,GBP,-12.50,\n30/01/2024,12:00:01,Jam,-2.50,GBP,-3.00,USD,-2.50,\n"
    ),
    "Stripe": (
        "id,Amount,Fee,Net,Currency,Created (UTC),Description\n"
        "txn_1,-12.00,0.50,-12.50,usd,2024-01-29 10:00,Tea\ntxn_2,-2.00,0.50,-2.50,usd,2024-01-30 10:00,Jam\n"
    ),
    "Sberbank": (
        "Дата совершения операции;Дата обработки операции;Описание;Валюта операции;Сумма в валюте операции;"
        "Сумма в валюте счета;\n29.01.2024;29.01.2024;Tea;USD;-0,10;-12,5;\n30.01.2024;30.01.2024;Jam;;;-2,5;\n"
    ),
    "Tinkoff": (
        '"Дата операции";"Дата платежа";"Сумма операции";"Валюта операции";"Сумма платежа";"Валюта платежа"\n'
        '"29.01.2024 10:00:00";"29.01.2024";"-12,50";"RUB";"-12,50";"RUB"\n'
        '"30.01.2024 10:00:00";"30.01.2024";"-2,50";"RUB";"-2,50";"RUB"\n'
    ),
    "ICBC": (
        "卡号: 1\n\n交易日期,记账日期,摘要,交易金额(收入),交易金额(支出),记账金额(收入),记账金额(支出),记账币种\n"
        '2024-01-29 \t,2024-01-29 \t,Tea,"  ","80.00\t","  ","12.50 \t",人民币\t,\n'
        '2024-01-30 \t,2024-01-30 \t,Jam,"  ","2.50\t","  ","2.50 \t",人民币\t,\n \n'
        '合计金额,,,"0.00","82.50","0.00","15.00",\n'
    ),
    "Bank of Communications": (
        "序号,交易日期,交易时间,借贷,交易金额,余额,摘要\n"
        "1,2024-01-29,00:00:00,借 Dr,12.50,87.50,Tea\n2,2024-01-30,10:00:00,借 Dr,2.50,85.00,Jam\n"
    ),
    "WeChat": (
        "微信支付账单明细,,,\n交易时间,商品,收/支,金额(元)\n"
        "2024-01-29 10:00:00,Tea,支出,¥12.50\n2024-01-30 10:00:00,Jam,支出,¥2.50\n"
    ),
    "months in words": "Datum;Text;Betrag\n29. Januar 2024;Tea;-12,50\n30. Januar 2024;Jam;-2,50\n",
    "months cut short": "Date;Libellé;Montant\n29 janv. 2024;Tea;-12,50\n30 janv. 2024;Jam;-2,50\n",
    "a zone": "created,amount,name\n2024-01-29 12:34:56 +0000,-12.50,Tea\n2024-01-30 23:59:59 +0000,-2.50,Jam\n",
    "quotes after a backslash": 'Date,Text,Amount\n29/01/2024,"a \\"tea\\", hot",-12.50\n30/01/2024,Jam,-2.50\n',
}


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_is_read_without_a_mapping(name):
    (statement,) = read(DIALECTS[name].encode()).statements
    lines = sorted((line.booked_on.isoformat(), line.amount) for line in statement.lines)
    assert lines == [("2024-01-29", Decimal("-12.50")), ("2024-01-30", Decimal("-2.50"))]


@pytest.mark.parametrize(
    "text",
    [
        "Buchungstag;Betrag;Info\n29.01.24;-12,50;Umsatz gebucht\n30.01.24;-2,50;Umsatz vorgemerkt\n",
        "Data;Importo;Contabilizzazione\n29/01/2024;-12,50;CONTABILIZZATO\n30/01/2024;-2,50;NON CONTABILIZZATO\n",
        "Date,Amount,Status\n2024-01-29,-12.50,Posted\n2024-01-30,-2.50,Pending\n",
    ],
)
def test_what_a_bank_has_yet_to_book_is_pending_whatever_its_column_is_called(text):
    (statement,) = read(text.encode()).statements
    assert [(line.amount, line.pending) for line in statement.lines] == [
        (Decimal("-12.50"), False),
        (Decimal("-2.50"), True),
    ]


def test_a_note_among_many_is_no_state():
    notes = ["Pending", "Tea", "Jam", "Rent", "Ink", "Post", "Bread", "Gas"]
    rows = "".join(f"2024-01-{day + 10},-{day + 1}.00,{note}\n" for day, note in enumerate(notes))
    (statement,) = read(f"Date,Amount,Remark\n{rows}".encode()).statements
    assert not any(line.pending for line in statement.lines)


@pytest.mark.parametrize(
    "text",
    [
        "Completed Date,Description,Amount,State\n2024-01-29,Tea,-12.50,COMPLETED\n,Jam,-2.50,PENDING\n",
        "Buchungstag;Buchungstext;Umsatz in EUR\n29.01.2024;Tea;-12,50\noffen;Jam;-2,50\n",
    ],
)
def test_a_pending_line_without_a_day_is_skipped_and_listed(text):
    bank_file = read(text.encode())
    assert [line.amount for line in bank_file.statements[0].lines] == [Decimal("-12.50")]
    assert [row.reason for row in bank_file.skipped] == ["It is pending and has no date yet."]


@pytest.mark.parametrize("mapping", [None, {"date": "Date", "dateFormat": "%Y-%m-%d", "amount": "Amount"}])
@pytest.mark.parametrize(
    "words", ["Total", "Closing balance", "Solde au 31/01/2024", "合计金额", "Saldo końcowe:"]
)
def test_a_sum_below_the_lines_is_no_line_though_it_stands_among_the_amounts(words, mapping):
    text = f"Date,Description,Amount\n2024-01-29,Tea,-12.50\n2024-01-30,Jam,-2.50\n{words},,-15.00\n"
    bank_file = read(text.encode(), mapping=mapping)
    assert len(bank_file.statements[0].lines) == 2
    assert [(row.text, row.reason) for row in bank_file.skipped] == [
        (f"{words} -15.00", "It states a sum or a balance.")
    ]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Date,Description,Amount\n2024-01-29,Tea,-12.50\n,Balance transfer,-2.50\n", "no date"),
        (
            "Date,Text,Amount\n2024-01-28,SALDO ANTERIOR,100\n2024-01-29,x,-1\n2024-01-30,x,-2\n",
            "SALDO ANTERIOR",
        ),
        ("Date,Amount,Betrag netto\n2024-01-29,-12.50,-10.00\n2024-01-30,-2.50,-2.00\n", "as amount"),
        ("Datum;Boekdatum;Bedrag\n28-01-2024;29-01-2024;-12,50\n29-01-2024;;-2,50\n", "as date"),
        ("Date,Amount,Money Out,Money In\n2024-01-29,12.50,,3.00\n2024-01-30,2.50,,2.50\n", "invert"),
    ],
)
def test_what_could_be_read_wrongly_is_asked_about(text, asked):
    with pytest.raises(FileRefusedError, match=asked):
        read(text.encode())


@pytest.mark.parametrize("size", ["-1 234,50", "-1.234,50", "-1\u202f234,50", "-1\u2019234,50", "(1.234,50)"])
def test_a_mapping_that_tells_the_mark_before_the_cents_need_not_tell_the_other(size):
    mapping = {"date": 0, "dateFormat": "%Y-%m-%d", "amount": 1, "decimal": ",", "header": 0}
    (statement,) = read(f"Day;Sum;Text\n2024-01-29;{size};Tea\n".encode(), mapping=mapping).statements
    assert statement.lines[0].amount == Decimal("-1234.50")


def test_a_quote_that_lost_its_other_half_makes_no_second_account():
    mapping = {"date": "Day", "dateFormat": "%Y-%m-%d", "amount": "Sum", "accountColumn": "Own"}
    text = '"Own","Day","Sum"\n"NL77","2024-01-29","-1"\nNL77","2024-01-30","-2"\n'
    assert [each.external_id for each in read(text.encode(), mapping=mapping).statements] == ["NL77"]


@pytest.mark.parametrize("encoding", ["cp1250", "cp852"])
def test_letters_of_central_europe_survive_an_encoding_that_nothing_names(encoding):
    text = "Date,Description,Amount\n2024-01-29,Płatność kartą w sklepie Żabka,-12.50\n"
    assert read(text.encode(encoding)).statements[0].lines[0].description == "Płatność kartą w sklepie Żabka"


@pytest.mark.parametrize(
    ("size", "amount", "currency"),
    [
        ("12,50 zł", "12.50", "PLN"),
        ("-12,50 Kč", "-12.50", "CZK"),
        ("R$ -12,50", "-12.50", "BRL"),
        ("-HK$12,50", "-12.50", "HKD"),
        ("Rs. 12,50", "12.50", None),
        ("12,50 kr.", "12.50", None),
        ("12,50円", "12.50", "JPY"),
        ("12,50 S", "-12.50", None),
        ("12,50H", "12.50", None),
        ("12,50 D", "-12.50", None),
        ("12,50 C", "12.50", None),
        ("EUR 12,50 D", "-12.50", "EUR"),
        ('="12,50"', "12.50", None),
    ],
)
def test_amounts_are_read_with_the_marks_and_symbols_of_many_countries(size, amount, currency):
    mapping = {"date": 0, "dateFormat": "%Y-%m-%d", "amount": 1, "decimal": ",", "header": 0}
    (statement,) = read(f"Day;Sum;Text\n2024-01-29;{size};Tea\n".encode(), mapping=mapping).statements
    assert (str(statement.lines[0].amount), statement.currency) == (amount, currency)


@pytest.mark.parametrize(
    "size", ["12,50 X", "12,50 zl", "12,50 DD", "R12,50", "-12,50 D", "D", "12,50 kr kr"]
)
def test_an_amount_with_a_word_that_is_no_mark_is_refused(size):
    mapping = {"date": 0, "dateFormat": "%Y-%m-%d", "amount": 1, "decimal": ",", "header": 0}
    with pytest.raises(FileRefusedError, match="Row 2"):
        read(f"Day;Sum;Text\n2024-01-29;{size};Tea\n".encode(), mapping=mapping)


@pytest.mark.parametrize(
    ("text", "date_format"),
    [
        ("29. Dez. 2024", "%d. %b. %Y"),
        ("29. Dez 2024", "%d. %b %Y"),
        ("29DIC24", "%d%b%y"),
        ("29 grudnia 2024", "%d %B %Y"),
    ],
)
def test_a_month_in_another_language_is_read_by_the_format_of_the_mapping(text, date_format):
    mapping = {"date": 0, "dateFormat": date_format, "amount": 1, "header": 0}
    (statement,) = read(f"Day;Sum;Text\n{text};-1;Tea\n".encode(), mapping=mapping).statements
    assert statement.lines[0].booked_on == date(2024, 12, 29)
