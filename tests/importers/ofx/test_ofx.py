"""OFX is read as banks write it, and refused where a figure could be wrong."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fixtures.bank_files.ofx_files import (
    HEADER,
    XML_HEADER,
    balance,
    document,
    pending,
    sgml,
    statement,
    status,
    transaction,
    written,
    xml,
)
from webapp.importers import FileRefusedError, read
from webapp.importers.bank_files import StatedBalance


def only_line(*transactions, **fields):
    """The line of a file that has one."""
    (account,) = read(sgml(statement(*(transactions or [transaction(**fields)])))).statements
    (line,) = account.lines
    return line


def test_a_bank_statement_in_sgml_is_read_whole():
    bank_file = read(sgml(statement(transaction(MEMO="for the office", CHECKNUM="1044"))))
    (account,) = bank_file.statements
    (line,) = account.lines
    assert (bank_file.format, bank_file.warnings, bank_file.skipped) == ("ofx", (), ())
    assert (account.external_id, account.currency, account.kind) == ("5501", "EUR", "BANK")
    assert account.institution == "Harbour Bank"
    assert account.opening is None
    assert account.closing == StatedBalance(Decimal("87.50"), date(2026, 3, 31))
    assert (line.row, line.booked_on, line.amount) == (1, date(2026, 3, 2), Decimal("-12.50"))
    assert (line.provider_transaction_id, line.reference) == ("A1", "1044")
    assert (line.description, line.counterparty) == ("Paper shop for the office", "Paper shop")


def test_a_card_statement_is_a_card():
    (account,) = read(xml(statement(transaction(), name="CCSTMTRS"))).statements
    assert (account.kind, account.external_id) == ("CARD", "5501")


def test_several_accounts_and_statements_stand_in_one_file():
    messages = [
        statement(transaction(), number="1"),
        statement(number="2"),
        statement(number="1", currency="usd"),
    ]
    statements = read(xml(*messages)).statements
    assert [(each.external_id, each.currency, len(each.lines)) for each in statements] == [
        ("1", "EUR", 1),
        ("2", "EUR", 0),
        ("1", "USD", 0),
    ]


def test_lines_are_numbered_through_the_file():
    statements = read(sgml(statement(transaction(), transaction()), statement(transaction()))).statements
    assert [line.row for each in statements for line in each.lines] == [1, 2, 3]


# One content, many hands.

contents = st.lists(
    st.builds(
        transaction,
        DTPOSTED=st.dates(date(1995, 1, 1), date(2099, 12, 31)).map(lambda day: f"{day:%Y%m%d}"),
        TRNAMT=st.decimals(-(10**9), 10**9, places=2).map(str),
        FITID=st.none() | st.text("0123456789ABC+/-", min_size=1, max_size=12),
        NAME=st.text("AÉñß&' -.", min_size=1, max_size=32).map(str.strip).filter(bool),
        MEMO=st.none() | st.sampled_from(["Käse & Brot", "A < B", "100% > 50%"]),
    ),
    max_size=5,
)


def plain_reading(transactions):
    return read(sgml(statement(*transactions), encoding="UTF-8", charset="NONE")).statements


@given(contents, st.booleans(), st.sampled_from(["\n", "\r\n", "", "\n\n  "]), st.booleans())
def test_ends_line_ends_and_case_of_tags_change_nothing(transactions, closed, line_end, lower):
    text = written(document(statement(*transactions)), closed=closed, line_end=line_end, lower=lower)
    assert read(text.encode()).statements == plain_reading(transactions)


@given(contents, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]))
def test_the_encoding_changes_nothing_whatever_the_header_says(transactions, encoding):
    text = HEADER.format(charset="1252", encoding="USASCII") + written(document(statement(*transactions)))
    assert read(text.encode(encoding)).statements == plain_reading(transactions)


@given(contents)
def test_xml_and_sgml_are_the_same(transactions):
    escaped = [
        (name, [(field, value.replace("&", "&amp;").replace("<", "&lt;")) for field, value in fields])
        for name, fields in transactions
    ]
    assert read(xml(statement(*escaped))).statements == plain_reading(transactions)


@given(contents, st.data())
def test_a_file_cut_anywhere_is_refused(transactions, data):
    whole = sgml(statement(*transactions), encoding="UTF-8").rstrip()
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(FileRefusedError):
        read(whole[:cut])


TAGS = "OFX STMTRS CCSTMTRS BANKTRANLIST STMTTRN STMTTRNP LEDGERBAL BANKACCTFROM PAYEE STATUS NAME TRNAMT X"


@given(
    st.lists(
        st.tuples(st.sampled_from(["<", "</"]), st.sampled_from(TAGS.split()), st.sampled_from(["", "5"]))
    )
)
def test_tags_in_any_order_are_read_or_refused(pieces):
    body = "".join(f"{start}{name}>{value}" for start, name, value in pieces)
    try:
        read(f"<OFX>{body}</OFX>".encode())
    except FileRefusedError as refusal:
        assert refusal.message  # noqa: PT017


def test_a_namespace_and_attributes_are_looked_over():
    text = (
        written(document(statement(transaction())), closed=True).replace("<", "<b:").replace("<b:/", "</b:")
    )
    (account,) = read(text.replace("<b:OFX>", '<b:OFX xmlns:b="urn:x">').encode()).statements
    assert len(account.lines) == 1


def test_closing_tags_of_fields_may_come_late_and_nested():
    row = "<STMTTRN><DTPOSTED>20260302<TRNAMT>-1.00<FITID>7<NAME>Kiosk</NAME></FITID></TRNAMT></DTPOSTED></STMTTRN>"
    text = written(document(statement(("STMTTRN", [])))).replace("<STMTTRN>\n</STMTTRN>", row)
    (account,) = read(text.encode()).statements
    assert account.lines[0].amount == Decimal("-1.00")
    assert account.lines[0].counterparty == "Kiosk"


def test_empty_tags_in_every_spelling_are_fields_left_out():
    extra = "<PAYEE><CHECKNUM></CHECKNUM><REFNUM/><CURRENCY>\n<MEMO>Tea"
    text = written(document(statement(transaction()))).replace("<TRNAMT>", f"{extra}<TRNAMT>")
    (account,) = read(text.encode()).statements
    assert account.lines[0].description == "Paper shop Tea"
    assert account.lines[0].reference is None


def test_a_card_statement_may_be_closed_as_a_bank_statement():
    text = written(document(statement(transaction(), name="CCSTMTRS"))).replace("</CCSTMTRS>", "</STMTRS>")
    (account,) = read(text.encode()).statements
    assert (account.kind, len(account.lines)) == ("CARD", 1)


def test_a_transaction_ends_where_the_next_begins():
    text = written(
        document(statement(transaction(FITID="1"), transaction(FITID="2"), transaction(FITID="3")))
    )
    (account,) = read(text.replace("</STMTTRN>", "").encode()).statements
    assert [line.provider_transaction_id for line in account.lines] == ["1", "2", "3"]


def test_comments_and_quoted_passages_are_resolved():
    text = written(
        document(statement(transaction(NAME="<![CDATA[Tea & <Co>]]> Ltd", MEMO="a<!-- <TRNAMT>9 -->b")))
    )
    (account,) = read(text.encode()).statements
    assert account.lines[0].description == "Tea & <Co> Ltd ab"
    assert account.lines[0].amount == Decimal("-12.50")


def test_a_document_may_stand_between_other_text():
    data = b"Downloaded by a tool\r\n\r\n" + sgml(statement(transaction())) + b"\r\n\x1a<p>bye</p>"
    assert len(read(data).statements) == 1


# Text.


@pytest.mark.parametrize(
    ("fields", "description", "counterparty"),
    [
        ({"NAME": None, "MEMO": "Fee"}, "Fee", None),
        ({"NAME": None}, "", None),
        ({"MEMO": "Paper shop, Hauptstr. 4"}, "Paper shop, Hauptstr. 4", "Paper shop"),
        ({"MEMO": "paper SHOP"}, "paper SHOP", "Paper shop"),
        ({"EXTDNAME": "Paper shop and Sons"}, "Paper shop and Sons", "Paper shop and Sons"),
        ({"NAME": "Joe&#039;s  &amp; R&D\n co"}, "Joe's & R&D co", "Joe's & R&D co"),
    ],
)
def test_all_of_the_banks_text_is_kept_once(fields, description, counterparty):
    line = only_line(**fields)
    assert (line.description, line.counterparty) == (description, counterparty)


def test_payee_and_other_account_are_taken_from_their_parts():
    name, fields = transaction(NAME=None)
    parts = [
        ("PAYEE", [("NAME", "Paper shop"), ("ADDR1", "Hauptstr. 4")]),
        ("BANKACCTTO", [("BANKID", "x"), ("ACCTID", "DE89 3704 0044 0532 0130 00")]),
    ]
    line = only_line((name, fields + parts))
    assert line.counterparty == "Paper shop"
    assert line.iban == "DE89370400440532013000"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [(None, None), ("", None), ("NONREF", "NONREF"), ("+20/1", "+20/1"), ("0", "0"), ("A  1", "A  1")],
)
def test_the_banks_reference_is_kept_exactly_as_sent(sent, kept):
    assert only_line(FITID=sent).provider_transaction_id == kept


# Days and amounts.


@pytest.mark.parametrize(
    "sent", ["20260101", "20260101000000[+12:NZ]", "20260101235959.999[-11:SST]", "2026-01-01"]
)
def test_the_day_is_the_literal_one_whatever_the_zone(sent):
    assert only_line(DTPOSTED=sent).booked_on == date(2026, 1, 1)


@pytest.mark.parametrize(
    "sent", [None, "", "00000000", "20260231", "260101", "01/02/2026", "31012026", "x20260101"]
)
def test_a_line_without_a_readable_day_refuses_the_file(sent):
    with pytest.raises(
        FileRefusedError, match=r"Transaction 1 \(line \d+ of the file\): DTPOSTED is (missing|not a date)"
    ):
        only_line(DTPOSTED=sent)


def test_a_value_date_that_does_not_exist_is_the_last_of_its_month_with_a_warning():
    bank_file = read(sgml(statement(transaction(DTAVAIL="20260230"), transaction(DTAVAIL="soon"))))
    assert [line.value_on for line in bank_file.statements[0].lines] == [date(2026, 2, 28), None]
    assert ["1 value date" in warning for warning in bank_file.warnings] == [True]


@pytest.mark.parametrize(
    ("sent", "amount"),
    [
        ("-1234.5", "-1234.5"),
        ("+12.34", "12.34"),
        ("-.50", "-.50"),
        (" -7,25 ", "-7.25"),
        ("1.234,56", "1234.56"),
        ("+1,234.56", "1234.56"),
        ("1 234,56", "1234.56"),
        ("1'234'567.80", "1234567.8"),
        ("1,234,567", "1234567"),
        ("\u22125", "-5"),
        ("1,234", "1.234"),
        ("-00000000001500.0000", "-1500"),
        ("-0.00", "0"),
    ],
)
def test_amounts_are_read_exactly(sent, amount):
    data = sgml(statement(transaction(TRNAMT=sent)), encoding="UTF-8")
    (account,) = read(data).statements
    assert account.lines[0].amount == Decimal(amount)
    assert str(account.lines[0].amount) != "-0.00"


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "-",
        ".",
        "abc",
        "1e5",
        "1_000",
        "(12.00)",
        "12 CR",
        "$5",
        "--5",
        "1,2,3",
        "1.23.4",
        "٣",
        "NaN",
        "9" * 28,
    ],
)
def test_an_unreadable_amount_refuses_the_file(sent):
    data = sgml(statement(transaction(TRNAMT=sent)), encoding="UTF-8")
    with pytest.raises(FileRefusedError, match=r"Transaction 1 .*TRNAMT is (missing|not an amount)"):
        read(data)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**12), max_value=10**12))
def test_every_amount_reads_back(amount):
    assert only_line(TRNAMT=str(amount)).amount == amount
    assert only_line(TRNAMT=str(amount).replace(".", ",")).amount == amount
    assert only_line(TRNAMT=f"{amount:,}").amount == amount


def test_two_transactions_run_into_one_refuse_the_file():
    text = written(document(statement(transaction(FITID="1"), transaction(FITID="2"))))
    with pytest.raises(FileRefusedError, match="FITID appears twice"):
        read(text.replace("</STMTTRN>\n<STMTTRN>\n", "").encode())


def test_two_equal_transactions_run_into_one_refuse_the_file():
    text = written(document(statement(transaction(FITID=None), transaction(FITID=None))))
    with pytest.raises(FileRefusedError, match="TRNAMT appears twice"):
        read(text.replace("</STMTTRN>\n<STMTTRN>\n", "").encode())


@pytest.mark.parametrize(
    ("place", "content"),
    [
        ("<STMTTRN>", "<STMTTRN>DEBIT 20260302 -3.00 Tea</STMTTRN><STMTTRN>"),
        ("<STMTTRN>", "<STMTTRN>20260302</STMTTRN><STMTTRN>"),
        ("</STMTTRN>", "</STMTTRN>20260302 -3.00 Tea"),
        ("<BANKTRANLIST>", "<BANKTRANLIST>20260302 -3.00 Tea"),
        ("<STMTTRN>", "<STMTTRN><![CDATA[20260302 -3.00]]></STMTTRN><STMTTRN>"),
        ("<STMTTRN>", "<STMTTRN><TRNTYPE>DEBIT<DATE>20260302<AMOUNT>-3.00</STMTTRN><STMTTRN>"),
        ("<STMTTRN>", "<FITID>B2<NAME>Tea<STMTTRN>"),
    ],
)
def test_a_line_whose_tags_are_lost_refuses_the_file(place, content):
    text = written(document(statement(transaction())))
    with pytest.raises(
        FileRefusedError, match=r"text that belongs to no field|DTPOSTED is missing|outside of any"
    ):
        read(text.replace(place, content).encode())


def test_a_transaction_whose_beginning_is_lost_refuses_the_file():
    text = written(document(statement(transaction())))
    with pytest.raises(FileRefusedError, match="outside of any transaction"):
        read(text.replace("<STMTTRN>", "").encode())


def test_a_transaction_of_no_statement_refuses_the_file():
    with pytest.raises(FileRefusedError, match="does not belong to a statement"):
        read(written(("OFX", [status(), transaction()])).encode())


def test_an_empty_transaction_is_skipped_and_listed():
    bank_file = read(sgml(statement(("STMTTRN", []), transaction())))
    assert [skipped.row for skipped in bank_file.skipped] == [1]
    assert [line.row for line in bank_file.statements[0].lines] == [2]


def test_a_line_that_takes_another_back_is_skipped_with_a_warning():
    bank_file = read(sgml(statement(transaction(CORRECTFITID="A0", CORRECTACTION="DELETE"))))
    assert bank_file.statements[0].lines == ()
    assert len(bank_file.skipped) == 1
    assert "A0" in bank_file.warnings[0]


# Pending.


def test_pending_lines_have_the_day_they_were_made():
    (account,) = read(xml(statement(transaction(), waiting=[pending()], name="CCSTMTRS"))).statements
    assert [(line.pending, line.booked_on) for line in account.lines] == [
        (False, date(2026, 3, 2)),
        (True, date(2026, 3, 4)),
    ]


def test_a_hold_among_booked_transactions_is_pending():
    assert [only_line(TRNTYPE=kind).pending for kind in ("HOLD", "DEBIT")] == [True, False]


def test_an_ordinary_transaction_in_a_pending_list_is_pending():
    (account,) = read(sgml(statement(transaction(), waiting=[transaction(FITID="P")]))).statements
    assert [line.pending for line in account.lines] == [False, True]


# Balances.


@pytest.mark.parametrize(
    "balances",
    [
        [],
        [balance(name="AVAILBAL")],
        [balance("")],
        [("LEDGERBAL", [])],
        [("BALLIST", [("BAL", [("NAME", "x"), ("VALUE", "5"), ("DTASOF", "20260331")])])],
    ],
)
def test_a_balance_that_is_missing_is_unknown(balances):
    (account,) = read(sgml(statement(balances=balances))).statements
    assert account.closing is None


def test_only_the_ledger_balance_closes():
    (account,) = read(sgml(statement(balances=[balance("1"), balance("9", name="AVAILBAL")]))).statements
    assert account.closing.amount == Decimal(1)


def test_the_last_of_several_balances_closes():
    later = balance("3", "20260331170000")
    balances = [balance("1", "20260330"), later, balance("2", "20260331160000[0:GMT]")]
    (account,) = read(sgml(statement(balances=balances))).statements
    assert account.closing == StatedBalance(
        Decimal(3), date(2026, 3, 31), datetime(2026, 3, 31, 17, tzinfo=UTC)
    )


def test_the_time_of_a_balance_is_an_instant_and_its_day_literal():
    (account,) = read(sgml(statement(balances=[balance("1", "20260331220000.000[-5:EST]")]))).statements
    assert account.closing.day == date(2026, 3, 31)
    assert account.closing.stated_at == datetime(2026, 4, 1, 3, tzinfo=UTC)


@pytest.mark.parametrize(("as_of", "warnings"), [("00000000", 0), ("", 0), ("20260231", 1)])
def test_a_balance_without_a_day_is_stated_and_dated_never(as_of, warnings):
    bank_file = read(sgml(statement(balances=[balance("5", as_of)])))
    assert bank_file.statements[0].closing == StatedBalance(Decimal(5), None)
    assert len(bank_file.warnings) == warnings


def test_an_unreadable_balance_refuses_the_file():
    with pytest.raises(FileRefusedError, match=r"BALAMT.*“about 5”"):
        read(sgml(statement(balances=[balance("about 5")])))


# Accounts and currencies.


@pytest.mark.parametrize(
    ("sent", "kept"), [("eur", "EUR"), ("RUR", "RUB"), ("", None), ("NONE", None), (None, None)]
)
def test_currencies_are_read_without_case_and_by_their_successor(sent, kept):
    (account,) = read(sgml(statement(transaction(), currency=sent))).statements
    assert account.currency == kept


def test_an_unknown_currency_refuses_the_file():
    with pytest.raises(FileRefusedError, match=r"CURDEF.*“R\$”"):
        read(sgml(statement(transaction(), currency="R$")))


@pytest.mark.parametrize("second", ["<BANKACCTFROM><ACCTID>77</BANKACCTFROM>", "<CURDEF>JPY"])
def test_two_accounts_run_into_one_statement_refuse_the_file(second):
    text = written(document(statement(transaction())))
    with pytest.raises(FileRefusedError, match=r"One statement (is|has)"):
        read(text.replace("<BANKTRANLIST>", f"{second}<BANKTRANLIST>").encode())


def test_the_other_account_of_a_line_does_not_name_the_statement():
    name, fields = transaction()
    inner = ("BANKACCTFROM", [("ACCTID", "77")])
    (account,) = read(sgml(statement((name, [*fields, inner])))).statements
    assert account.external_id == "5501"


def test_an_account_without_a_number_is_left_to_be_asked_for():
    (account,) = read(sgml(statement(transaction(), number=None))).statements
    assert account.external_id is None


def test_another_currency_on_a_line_is_a_warning():
    name, fields = transaction()
    bank_file = read(
        sgml(statement((name, [*fields, ("CURRENCY", [("CURRATE", "1.1"), ("CURSYM", "USD")])])))
    )
    assert "USD" in bank_file.warnings[0]
    original = (name, [*fields, ("ORIGCURRENCY", [("CURRATE", "1.1"), ("CURSYM", "USD")])])
    assert read(sgml(statement(original))).warnings == ()


def test_a_statement_without_a_currency_takes_the_one_that_all_of_its_lines_name():
    def line(symbol):
        name, fields = transaction()
        return (name, [*fields, *([("CURRENCY", [("CURSYM", symbol)])] if symbol else [])])

    def account_of(*symbols):
        bank_file = read(sgml(statement(*map(line, symbols), currency="")))
        return bank_file.statements[0].currency, len(bank_file.warnings)

    assert account_of("AUD", "AUD") == ("AUD", 0)
    assert account_of("AUD", None) == (None, 1)
    assert account_of("AUD", "NZD") == (None, 1)
    assert account_of("QQQ") == (None, 1)


def test_the_cash_of_a_securities_account_is_read_and_its_trades_are_not():
    trade = ("BUYSTOCK", [("INVBUY", [("INVTRAN", [("FITID", "9"), ("MEMO", "Buy")]), ("TOTAL", "-50.00")])])
    cash = ("INVBANKTRAN", [transaction(), ("SUBACCTFUND", "CASH")])
    account = [("CURDEF", "USD"), ("INVACCTFROM", [("BROKERID", "b"), ("ACCTID", "Z9")])]
    bank_file = read(xml(("INVSTMTTRNRS", [("INVSTMTRS", [*account, ("INVTRANLIST", [trade, cash])])])))
    assert [(each.external_id, len(each.lines)) for each in bank_file.statements] == [("Z9", 1)]
    assert "securities" in bank_file.warnings[0]


# Sound files with nothing to book.


def test_the_banks_error_is_passed_on():
    refused = status("15500", "ERROR", "Wrong password.")
    bank_file = read(sgml(said=refused))
    assert bank_file.statements == ()
    assert bank_file.warnings == ("The bank answered with an error: Wrong password (code 15500).",)


def test_an_error_in_place_of_a_statement_is_passed_on():
    bank_file = read(xml(("STMTTRNRS", [("TRNUID", "1"), status("2000", "ERROR")])))
    assert bank_file.statements == ()
    assert "2000" in bank_file.warnings[0]


def test_a_list_of_accounts_is_sound_and_brings_nothing():
    listed = ("ACCTINFO", [("DESC", "Savings"), ("BANKACCTINFO", [("BANKACCTFROM", [("ACCTID", "1")])])])
    bank_file = read(sgml(("ACCTINFOTRNRS", [("ACCTINFORS", [listed])])))
    assert bank_file.statements == ()
    assert bank_file.warnings == ("The file has no statement, so there is nothing to import.",)


def test_a_statement_without_lines_is_sound():
    (account,) = read(sgml(statement())).statements
    assert account.lines == ()
    assert account.closing.amount == Decimal("87.50")


# What is no statement at all.


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \r\n",
        b"date;amount\n2026-01-01;5\n",
        b"<!DOCTYPE html><html><body>Please sign in</body></html>",
        b"<html><body>Session expired</body></html>",
        HEADER.encode(),
        b"<OFX></OFX>",
        b"<OFX><BANKMSGSRQV1><STMTTRNRQ><STMTRQ></STMTRQ></STMTTRNRQ></BANKMSGSRQV1></OFX>",
        b"<OFX><STMTRS></STMTRS></OFX>",
        b"<OFX><STATUS><CODE>0</STATUS></STMTRS></OFX>",
        b"%PDF-1.7 <OFX>",
    ],
)
def test_what_is_no_statement_is_refused(data):
    with pytest.raises(FileRefusedError) as refusal:
        read(data)
    assert refusal.value.status == 422
    assert refusal.value.message.endswith(".")


def test_a_second_document_may_follow_a_whole_one_only():
    first, second = sgml(statement(transaction(), number="1")), sgml(statement(transaction(), number="2"))
    assert [each.external_id for each in read(first + second).statements] == ["1", "2"]
    with pytest.raises(FileRefusedError, match="begins again"):
        read(first[: len(first) // 2] + second)


@pytest.mark.parametrize(
    "declaration", ["<!DOCTYPE OFX>", '<!doctype OFX [<!ENTITY x SYSTEM "file:///etc/passwd">]>']
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_type_is_refused_in_any_encoding(declaration, encoding):
    text = XML_HEADER.format(charset=encoding) + declaration
    text += written(document(statement(transaction(NAME="&x;"))), closed=True)
    with pytest.raises(FileRefusedError, match="document type"):
        read(text.encode(encoding))


def test_an_entity_of_the_files_own_stays_as_it_is_written():
    assert only_line(NAME="&xxe; &amp;").counterparty == "&xxe; &"


@pytest.mark.parametrize(
    ("code", "rate", "expected"),
    [
        ("USD", "0.80", (Decimal("15.00"), "USD", Decimal("0.80"))),
        ("JPY", "0.006", (Decimal(2000), "JPY", Decimal("0.006"))),
        ("XXY", "0.80", (None, None, None)),
        ("USD", "0", (None, None, None)),
        ("USD", "much", (None, None, None)),
    ],
)
def test_the_amount_before_its_conversion_is_kept(code, rate, expected):
    line = only_line(TRNAMT="-12.00", ORIGCURRENCY=[("CURRATE", rate), ("CURSYM", code)])
    assert line.amount == Decimal("-12.00")
    assert (line.original_amount, line.original_currency, line.exchange_rate) == expected
