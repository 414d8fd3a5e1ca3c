"""CSV and TSV are read as they were meant, with a mapping or without, or refused with a sentence that says why."""

import codecs
from datetime import date
from decimal import Decimal
from itertools import product

import pytest

from webapp.importers import FileRefusedError, read

PLAIN = (
    "Date,Description,Amount,Balance\n2026-03-01,Tea,-3.00,97.00\n2026-03-02,Rent received,900.00,997.00\n"
)
BY_NAME = {"date": "Date", "dateFormat": "%Y-%m-%d", "amount": "Amount", "decimal": "."}


def lines_of(text, mapping=None):
    data = text if isinstance(text, bytes) else text.encode()
    return [line for statement in read(data, mapping=mapping).statements for line in statement.lines]


def amounts(text, mapping=None):
    return [str(line.amount) for line in lines_of(text, mapping)]


def refusal(text, mapping=None):
    with pytest.raises(FileRefusedError) as refused:
        lines_of(text, mapping)
    return refused.value.message


def test_a_plain_export_needs_no_mapping():
    bank_file = read(PLAIN.encode())
    (statement,) = bank_file.statements
    assert bank_file.format == "csv"
    assert [(line.row, line.booked_on, line.amount, line.description) for line in statement.lines] == [
        (2, date(2026, 3, 1), Decimal("-3.00"), "Tea"),
        (3, date(2026, 3, 2), Decimal("900.00"), "Rent received"),
    ]
    assert (statement.opening.amount, statement.closing.amount) == (Decimal("100.00"), Decimal("997.00"))


def test_encodings_delimiters_and_line_ends_change_nothing():
    plain = PLAIN.replace("Tea", "Café")
    writings = [*product(("utf-8", "utf-8-sig", "utf-16", "cp1252"), ",;\t|", ("\n", "\r\n", "\r"))]
    read = {
        (encoding, delimiter, end): lines_of(
            plain.replace(",", delimiter).replace("\n", end).encode(encoding)
        )
        for encoding, delimiter, end in writings
    }
    assert read == dict.fromkeys(writings, lines_of(plain))


@pytest.mark.parametrize(
    ("encoding", "header", "text"),
    [
        ("gb18030", "交易日期,摘要,支出,收入", "工资"),
        ("cp1251", "Дата,Описание,Расход,Приход", "Зарплата"),
        ("cp932", "日付,摘要,出金,入金", "給料"),
    ],
)
def test_an_encoding_is_known_by_the_words_of_the_header(encoding, header, text):
    (line,) = lines_of(f"{header}\n2026-03-01,{text},,12.50\n".encode(encoding))
    assert (line.description, line.amount) == (text, Decimal("12.50"))


def test_rows_before_the_header_and_below_the_lines_are_skipped_and_listed():
    text = f"Account of Ada;\n\n{PLAIN.replace(',', ';')}Total;;;\n"
    assert [row.text for row in read(text.encode()).skipped] == ["Account of Ada", "Total"]
    assert len(lines_of(text)) == 2


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("2026-03-03,Tea,,", ["Row 4", "column 3", "Amount", "no amount"]),
        (",Tea,5.00,", ["Row 4", "column 1", "Date", "no date"]),
        ("31/31/2026,Tea,5.00,", ["Row 4", "31/31/2026"]),
        ("2026-03-03,Tea,5,00,7", ["Row 4"]),
        ("2026-03-03,Tea,1e5,", ["Row 4", "“1e5”"]),
        ("2026-03-03,Tea,1.000.00,", ["Row 4", "“1.000.00”"]),
    ],
)
def test_a_row_with_a_day_or_an_amount_and_not_both_refuses_the_file(row, said):
    message = refusal(PLAIN + row + "\n", BY_NAME)
    assert all(word in message for word in said)


@pytest.mark.parametrize(
    ("cell", "worth"),
    [
        ("(12.00)", "-12.00"),
        ("12.00-", "-12.00"),
        ("\u221212.00", "-12.00"),
        ("12.00 CR", "12.00"),
        ("12.00DR", "-12.00"),
    ],
)
def test_every_way_of_writing_money_out_is_understood(cell, worth):
    assert amounts(f"Date,Amount\n2026-03-01,{cell}\n", BY_NAME) == [worth]


def test_debits_and_credits_become_one_signed_amount():
    told = {"date": 0, "dateFormat": "%d.%m.%Y", "debit": 1, "credit": 2, "decimal": ",", "delimiter": ";"}
    assert amounts("01.03.2026;3,00;\n02.03.2026;;900,00\n", told) == ["-3.00", "900.00"]
    assert amounts("01.03.2026;-3,00;\n02.03.2026;;900,00\n", told) == ["-3.00", "900.00"]
    assert amounts("01.03.2026;-3,00;\n02.03.2026;4,00;0,00\n", told) == ["3.00", "-4.00"]
    assert "a debit and also a credit" in refusal("01.03.2026;3,00;1,00\n", told)


def test_a_flag_decides_and_the_sign_is_ignored():
    told = BY_NAME | {"flag": ["Way", ["out"], ["in"]]}
    assert amounts("Date,Amount,Way\n2026-03-01,-3,OUT\n2026-03-01,3,out\n2026-03-02,-9,in\n", told) == [
        "-3",
        "-3",
        "9",
    ]
    assert "“up”" in refusal("Date,Amount,Way\n2026-03-01,-3,up\n", told)


def test_currencies_and_accounts_of_the_rows_part_the_file():
    text = "Date,Amount,Ccy,Own\n2026-03-01,-3,EUR,A\n2026-03-01,5,usd,A\n2026-03-02,7,RUR,B\n"
    statements = read(
        text.encode(), mapping=BY_NAME | {"currencyColumn": "Ccy", "accountColumn": "Own"}
    ).statements
    assert [(each.external_id, each.currency) for each in statements] == [
        ("A", "EUR"),
        ("A", "USD"),
        ("B", "RUB"),
    ]
    assert "currency" in refusal(text.replace("usd", "XYZ"), BY_NAME | {"currencyColumn": "Ccy"})


def test_an_amount_in_another_currency_than_the_account_refuses_the_file():
    assert "EUR" in refusal("Date,Amount\n2026-03-01,GBP 5.00\n", BY_NAME | {"currency": "EUR"})


def test_pending_rows_are_pending_and_not_in_the_balance():
    text = (
        PLAIN.replace("Balance\n", "Balance,State\n").replace(".00\n", ".00,done\n")
        + "2026-03-03,Hotel,-80.00,,Pending\n"
    )
    told = BY_NAME | {"balance": "Balance", "pending": ["State", "pending"]}
    (statement,) = read(text.encode(), mapping=told).statements
    assert [line.pending for line in statement.lines] == [False, False, True]
    assert statement.closing.amount == Decimal("997.00")


def test_a_file_in_either_order_has_the_balances_of_its_first_and_last_day():
    head, *rows = PLAIN.splitlines()
    (statement,) = read("\n".join([head, *reversed(rows)]).encode()).statements
    assert (statement.opening.amount, statement.opening.day) == (Decimal("100.00"), date(2026, 3, 1))
    assert (statement.closing.amount, statement.closing.day) == (Decimal("997.00"), date(2026, 3, 2))


def test_a_balance_before_the_row_is_told():
    text = "Date,Amount,Before\n2026-03-01,-3,100\n2026-03-02,9,97\n"
    (statement,) = read(
        text.encode(), mapping=BY_NAME | {"balance": "Before", "balanceIs": "before"}
    ).statements
    assert (statement.opening.amount, statement.closing.amount) == (Decimal(100), Decimal(106))


def test_the_running_balance_tells_a_card_that_writes_purchases_without_a_minus():
    text = "Date,Amount,Balance\n2026-03-01,3.00,-3.00\n2026-03-02,9.00,-12.00\n2026-03-03,2.00,-14.00\n"
    assert amounts(text) == ["-3.00", "-9.00", "-2.00"]


def test_a_balance_that_does_not_follow_is_a_warning():
    warnings = read(
        PLAIN.replace("997.00", "996.00").encode(), mapping=BY_NAME | {"balance": "Balance"}
    ).warnings
    assert any("Row 3" in warning for warning in warnings)


def test_a_sign_that_nothing_proves_is_asked_for_and_taken_when_it_is_told():
    text = "Date,Amount\n2026-03-01,3.00\n2026-03-02,9.00\n"
    assert "invert" in refusal(text)
    assert amounts(text, {"invert": True}) == ["-3.00", "-9.00"]
    assert amounts(text, {"invert": False}) == ["3.00", "9.00"]


def test_days_that_read_both_ways_are_asked_for_and_taken_when_they_are_told():
    text = "Date,Amount\n01/02/2026,-3.00\n03/04/2026,-9.00\n"
    assert "dateFormat" in refusal(text)
    assert [line.booked_on.month for line in lines_of(text, {"dateFormat": "%d/%m/%Y"})] == [2, 4]


def test_fees_beside_the_amounts_are_asked_about():
    assert "fees" in refusal("Date,Amount,Fee\n2026-03-01,-3.00,0.50\n")


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ({"colour": 1}, "colour"),
        ({"date": True}, "date"),
        ({"date": 1.5}, "date"),
        ({"date": -1}, "date"),
        ({"dateFormat": "dd.mm.yyyy"}, "dateFormat"),
        ({"dateFormat": "%m/%Y"}, "dateFormat"),
        ({"delimiter": ",,"}, "delimiter"),
        ({"encoding": "zlib"}, "encoding"),
        ({"encoding": 5}, "encoding"),
        ({"header": "0"}, "header"),
        ({"header": True}, "header"),
        ({"invert": 1}, "invert"),
        ({"decimal": "x"}, "decimal"),
        ({"decimal": ".", "thousands": "."}, "thousands"),
        ({"currency": "EURO"}, "currency"),
        ({"currency": "EUR", "currencyColumn": 1}, "currencyColumn"),
        ({"flag": ["Way", ["a"], ["a"]]}, "flag"),
        ({"flag": ["Way", "a", "b"]}, "flag"),
        ({"pending": "State"}, "pending"),
        ({"debit": 1}, "credit"),
        ({"amount": 1, "debit": 1, "credit": 2}, "amount"),
        ({"balanceIs": 1}, "balanceIs"),
        ({"date": "Day", "amount": "Amount"}, "Day"),
        ({"date": "Date", "amount": 99}, "amount"),
        ({"date": "Date", "amount": "Amount", "header": 999}, "header"),
        ({"date": "Date", "amount": "Amount", "header": None}, "header"),
    ],
)
def test_a_mapping_that_is_wrong_is_refused_by_the_name_of_its_key(mapping, said):
    assert said in refusal(PLAIN, mapping)


def test_two_columns_of_one_name_that_differ_are_asked_about():
    text = "Date,Amount,Amount\n2026-03-01,-3,-4\n"
    assert "twice" in refusal(text, BY_NAME)
    assert amounts(text.replace("-4", "-3"), BY_NAME) == ["-3"]


def test_a_quote_that_is_left_open_refuses_the_file_instead_of_losing_lines():
    assert "quotation mark" in refusal(
        'Date,Description,Amount\n2026-03-01,"Tea,-3.00\n2026-03-02,Rent,-9.00\n', BY_NAME
    )
    rows = ['2026-03-01,"Tea,-3.00', *["2026-03-02,Rent,-9.00"] * 3, '2026-03-05,Ale",-1.00']
    assert "quotation mark" in refusal("\n".join(["Date,Description,Amount", *rows, ""]), BY_NAME)


def test_a_cell_may_have_several_lines():
    assert [
        line.description
        for line in lines_of('Date,Description,Amount\n2026-03-01,"Tea\r\nand, cake",-3.00\n')
    ] == ["Tea and, cake"]


def test_a_row_that_is_longer_than_the_others_refuses_the_file():
    assert "more cells" in refusal(PLAIN + "2026-03-03,Tea,-3.00,994.00,x\n", BY_NAME)


def test_a_text_that_is_split_behind_the_amount_moves_nothing():
    text = "Date,Amount,Note\n2026-03-01,-3.00,Tea\n2026-03-02,-4.00,Tea, cake\n2026-03-03,-5.00,Ale\n"
    assert amounts(text) == ["-3.00", "-4.00", "-5.00"]


def test_a_byte_that_is_no_text_refuses_the_file_instead_of_joining_digits():
    assert "damaged" in refusal(PLAIN.replace("900", "9\0" + "00").encode(), BY_NAME)


@pytest.mark.parametrize(
    "encoding", ["unicode_escape", "idna", "punycode", "rot13", "undefined", "utf-7", "hz"]
)
def test_an_encoding_that_is_none_of_text_is_refused(encoding):
    assert "encoding" in refusal(PLAIN, {"encoding": encoding})


def test_a_mapping_may_say_a_part_and_the_file_the_rest():
    text = 'Txn Date,Details,Debit,Credit\n01/02/2026,Tea,"1,00,000.50",\n03/04/2026,Rent,,9\n'
    assert amounts(text, {"dateFormat": "%d/%m/%Y"}) == ["-100000.50", "9"]


def test_a_header_without_rows_is_a_sound_file_with_nothing_to_book():
    bank_file = read(b"Date,Description,Amount\n")
    assert (bank_file.statements, len(bank_file.warnings)) == ((), 1)


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": [1,2],\n"b": [3,4]}',
        b"Hello there,\nthis is a letter\n",
        codecs.BOM_UTF8 + b"<?xml version='1.0'?><a>1,2\n3,4</a>",
    ],
)
def test_what_is_no_table_is_never_taken_for_csv(data):
    with pytest.raises(FileRefusedError, match="format is not supported"):
        read(data)
