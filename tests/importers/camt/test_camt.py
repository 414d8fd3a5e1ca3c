"""CAMT is read as banks write it, and refused where a figure could be wrong."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fixtures.bank_files.camt_files import (
    OTHER,
    OWN,
    balance,
    entry,
    message,
    party,
    payment,
    statement,
    tag,
)
from webapp.importers import FileRefusedError, read
from webapp.importers.bank_files import StatedBalance
from webapp.ledger.matching.lines import line_keys


def only_line(*content, **wanted):
    (account,) = read(message(statement(entry(*content, **wanted)))).statements
    (line,) = account.lines
    return line


def refusal(data):
    with pytest.raises(FileRefusedError) as refused:
        read(data)
    return refused.value.message


def test_a_statement_is_read_whole():
    paid = payment(party("Cdtr", "Paper shop"), "For the office", "E7")
    data = message(
        statement(
            balance("OPBD", "100.00", "2026-03-01"),
            balance("CLBD", "87.50"),
            entry("12.50", "DBIT", paid, valued="2026-03-03"),
        )
    )
    bank_file = read(data)
    (account,) = bank_file.statements
    (line,) = account.lines
    assert (bank_file.format, bank_file.warnings, bank_file.skipped) == ("camt", (), ())
    assert (account.external_id, account.currency, account.name) == (OWN, "EUR", "Lantern Studio")
    assert account.opening == StatedBalance(Decimal("100.00"), date(2026, 3, 1))
    assert account.closing == StatedBalance(Decimal("87.50"), date(2026, 3, 31))
    assert (line.row, line.booked_on, line.value_on) == (1, date(2026, 3, 2), date(2026, 3, 3))
    assert (line.amount, line.pending, line.provider_transaction_id) == (Decimal("-12.50"), False, "A1")
    assert (line.counterparty, line.iban, line.reference) == ("Paper shop", OTHER, "E7")
    assert line.description == "Paper shop For the office"


@pytest.mark.parametrize(
    ("name", "container"),
    [
        ("BkToCstmrStmt", "Stmt"),
        ("BkToCstmrAcctRpt", "Rpt"),
        ("BkToCstmrAcctRptV01", "Rpt"),
        ("BkToCstmrDbtCdtNtfctn", "Ntfctn"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "n0:", "camt.053:"])
def test_statements_reports_and_notifications_are_read_with_a_prefix_or_without(name, container, prefix):
    data = message(statement(entry(), name=container), name=name, namespace="urn:x").decode()
    prefixed = re.sub(r"<(/?)(?=[A-Z])", rf"<\g<1>{prefix}", data).replace(
        "xmlns=", f"xmlns:{prefix or 'a'}="
    )
    (account,) = read(prefixed.replace("::", ":").replace(":=", "=").encode()).statements
    assert [line.amount for line in account.lines] == [Decimal("-12.50")]


def test_a_message_may_stand_in_an_envelope():
    document = message(statement(entry())).decode().partition("?>")[2]
    assert read(f"\n\n<Envelope><Header/><Body>{document}</Body></Envelope>".encode()).statements


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_accents_survive_whatever_the_declaration_says(encoding):
    data = message(
        statement(entry("1", "DBIT", payment(text="Käse für Łódź".replace("Ł", "L").replace("ź", "z"))))
    )
    (account,) = read(data.decode().encode(encoding)).statements
    assert account.lines[0].description == "Käse für Lódz"


def test_a_stray_control_character_is_dropped():
    data = message(statement(entry("1", "DBIT", payment(text="Ta\x02xi"))))
    assert read(data).statements[0].lines[0].description == "Taxi"


def test_a_reversal_goes_where_its_direction_says():
    reversal = tag("RvslInd", "true")
    assert only_line("5.00", "CRDT", more=reversal).amount == Decimal("5.00")
    assert only_line("5.00", "DBIT", more=reversal).amount == Decimal("-5.00")


@pytest.mark.parametrize(
    ("status", "pending"), [("BOOK", False), (None, False), ("PDNG", True), ("FUTR", True)]
)
def test_what_is_not_booked_is_pending(status, pending):
    assert only_line(status=status).pending is pending


def test_a_status_may_be_plain_text_as_in_older_versions():
    data = message(statement(entry(status=None, more=tag("Sts", "PDNG"))))
    assert read(data).statements[0].lines[0].pending


@pytest.mark.parametrize("state", ["INFO", "CANC"])
def test_what_is_told_for_information_is_listed_and_no_line(state):
    bank_file = read(
        message(statement(entry(), entry(status=state, booked=None, valued="2026-03-09"), entry()))
    )
    assert [line.row for line in bank_file.statements[0].lines] == [1, 3]
    (row,) = bank_file.skipped
    assert (row.row, row.text) == (2, "DBIT 12.50")
    assert state in row.reason


def test_an_unknown_status_refuses_the_file():
    with pytest.raises(FileRefusedError, match=r"Entry 1 .* status \(Sts\) is “ABCD”, which does not say"):
        only_line(status="ABCD")


def test_the_day_is_the_one_the_bank_wrote():
    line = only_line(booked="2026-03-02T00:30:00+05:00", valued="2026-03-01")
    assert (line.booked_on, line.value_on) == (date(2026, 3, 2), date(2026, 3, 1))
    assert only_line(booked=None, valued="2026-03-01", status="PDNG").booked_on == date(2026, 3, 1)


def test_a_value_date_that_does_not_exist_is_the_last_of_its_month_with_a_warning():
    bank_file = read(message(statement(entry(booked="2026-03-01", valued="2026-02-30"), entry())))
    line, other = bank_file.statements[0].lines
    assert (line.booked_on, line.value_on, other.value_on) == (date(2026, 3, 1), date(2026, 2, 28), None)
    (warning,) = bank_file.warnings
    assert "1 value date (line 1 of the file) does not exist" in warning


def test_a_batch_is_one_line_that_tells_of_all_its_payments():
    batch = [payment(party("Dbtr", "Ada"), "March"), payment(party("Dbtr", "Ben", None), "April")]
    line = only_line("30.00", "CRDT", *batch)
    assert line.amount == Decimal("30.00")
    assert line.description == "Ada March Ben April"
    assert (line.counterparty, line.iban) == (None, None)


@pytest.mark.parametrize(
    ("name", "text", "description", "earlier"),
    [
        ("Vermieter", "Miete", "Vermieter Miete", "Vermieter"),
        ("Ann", "Annual fee", "Ann Annual fee", "Annual fee"),
        ("Grocery at Main Station", "Grocery at Main Stationery", *["Grocery at Main Stationery"] * 2),
        ("Paper shop", "paper", *["Paper shop"] * 2),
    ],
)
def test_a_part_of_a_word_is_no_repetition_and_a_stored_line_keeps_its_key(name, text, description, earlier):
    line = only_line("30.00", "CRDT", payment(party("Dbtr", name), text))
    assert line.description == description
    assert line_keys([line]) == line_keys([line._replace(description=earlier)])


@pytest.mark.parametrize("newer", [True, False])
def test_the_counterparty_is_the_side_that_is_not_ours(newer):
    both = party("Dbtr", "Ada", newer=newer) + party("Cdtr", "Paper shop", OWN, newer=newer)
    assert only_line("1", "CRDT", payment(both)).counterparty == "Ada"
    assert only_line("1", "DBIT", payment(both)).counterparty == "Ada"
    unnumbered = party("Dbtr", "Ada", None, newer=newer) + party("Cdtr", "Paper shop", None, newer=newer)
    assert only_line("1", "DBIT", payment(unnumbered)).counterparty == "Paper shop"
    assert only_line("1", "CRDT", payment(unnumbered)).counterparty == "Ada"


def test_the_parties_of_a_returned_payment_keep_their_roles():
    both = party("Dbtr", "Ada", None) + party("Cdtr", "Paper shop", None)
    returned = payment(both, more=tag("RtrInf", tag("Rsn", tag("Cd", "AC04"))))
    assert only_line("1", "DBIT", returned).counterparty == "Ada"
    assert only_line("1", "DBIT", payment(both), more=tag("RvslInd", "1")).counterparty == "Ada"


def test_a_placeholder_gives_way_to_the_reference_of_the_payment():
    one = payment().replace("<Refs>", "<Refs><AcctSvcrRef>B7</AcctSvcrRef>")
    assert only_line("1", "DBIT", one, reference="NONREF").provider_transaction_id == "B7"
    assert only_line("1", "DBIT", payment(), reference="NONREF").provider_transaction_id == "NONREF"
    assert only_line("1", "DBIT", payment(), reference=None).provider_transaction_id is None


def test_a_creditor_reference_goes_before_that_of_the_payer():
    creditor = "<RmtInf><Strd><CdtrRefInf><Ref>RF18539007547034</Ref></CdtrRefInf></Strd></RmtInf>"
    line = only_line("1", "CRDT", payment(text="", end_to_end="E7", more=creditor))
    assert line.reference == "RF18539007547034"


def test_only_booked_balances_count_and_never_those_of_a_page():
    data = message(
        statement(
            balance("ITBD", "1"), balance("CLAV", "2"), balance("OPAV", "3"), balance("PRCD", "4", "2026-03-01"),
            balance("CLBD", "5", sub="INTM"), entry(),
        )
    )  # fmt: skip
    (account,) = read(data).statements
    assert account.opening == StatedBalance(Decimal(4), date(2026, 3, 1))
    assert account.closing is None


def test_of_several_closing_balances_the_last_day_counts_and_of_two_on_a_day_the_last():
    stated = [
        balance("CLBD", "3", "2026-03-31"),
        balance("CLBD", "1", "2026-03-30"),
        balance("CLBD", "9.9", "2026-03-31"),
    ]
    assert read(message(statement(*stated))).statements[0].closing.amount == Decimal("9.9")


def test_a_debt_is_negative_and_a_balance_has_its_time():
    (account,) = read(
        message(statement(balance("CLBD", "7", "2026-03-31T18:00:00+02:00", "DBIT")))
    ).statements
    at = datetime(2026, 3, 31, 16, tzinfo=UTC)
    assert account.closing == StatedBalance(Decimal(-7), date(2026, 3, 31), at)


def test_a_balance_without_a_day_is_kept_without_one():
    assert read(message(statement(balance("CLBD", "7", None)))).statements[0].closing.day is None


def test_the_currency_is_that_of_the_account_else_of_its_entries_else_of_its_balances():
    stated = balance("CLBD", "1", currency="chf")
    assert read(message(statement(stated, entry()))).statements[0].currency == "EUR"
    assert (
        read(message(statement(stated, entry(currency="SEK"), currency=None))).statements[0].currency == "SEK"
    )
    assert read(message(statement(stated, currency=None))).statements[0].currency == "CHF"


def test_the_word_of_the_standard_for_no_currency_is_none():
    data = message(statement(balance("CLBD", "1", currency="XXX"), entry(currency="XXX"), currency=None))
    (account,) = read(data).statements
    assert (account.currency, len(account.lines), account.closing.amount) == (None, 1, Decimal(1))


def test_entries_in_two_currencies_are_two_accounts():
    data = message(
        statement(entry("1"), balance("CLBD", "5", currency="USD"), entry("2", currency="USD"), entry("3"))
    )
    bank_file = read(data)
    euro, dollar = bank_file.statements
    assert [line.row for line in euro.lines] == [1, 3]
    assert [(line.row, line.amount) for line in dollar.lines] == [(2, Decimal(-2))]
    assert (dollar.currency, dollar.closing.amount) == ("USD", Decimal(5))
    assert "2 currencies" in bank_file.warnings[0]


def test_several_accounts_and_an_empty_one_stand_in_one_file():
    statements = read(message(statement(entry()), statement(balance("CLBD", "0"), number="77-1"))).statements
    assert [(each.external_id, len(each.lines)) for each in statements] == [(OWN, 1), ("77-1", 0)]


def test_charges_are_part_of_the_amount_and_taken_once():
    charges = "<Chrgs><Rcrd><Amt Ccy='EUR'>0.50</Amt></Rcrd></Chrgs>"
    assert only_line("10.50", "DBIT", more=charges).amount == Decimal("-10.50")


def test_an_entry_that_is_empty_is_listed_and_no_line():
    bank_file = read(message(statement("<Ntry></Ntry>", entry())))
    assert [row.row for row in bank_file.skipped] == [1]
    assert [line.row for line in bank_file.statements[0].lines] == [2]


def test_an_entry_whose_tags_are_lost_is_never_left_out():
    lost = "<Ntry>12.50 DBIT BOOK 2026-03-02 <AddtlNtryInf>Coffee</AddtlNtryInf></Ntry>"
    assert "Entry 2 (line 2 of the file): it has no amount" in refusal(message(statement(entry(), lost)))


def test_an_element_that_no_statement_has_is_said_and_refused_where_it_may_be_an_entry():
    data = message(statement(entry(), "<Remark>Soon</Remark>", entry(reference="A2")))
    found = read(data)
    assert len(found.statements[0].lines) == 2
    assert found.warnings[0].endswith("has elements that are not read: \u201cRemark\u201d (1).")
    for broken in (
        data.replace(b"Ntry>", b"Ntyr>", 2),
        data.replace(b"<Ntry>", b"<Ntries><Ntry>", 1).replace(b"</Ntry>", b"</Ntry></Ntries>", 1),
    ):
        assert "money in an element that no statement has" in refusal(broken)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (entry("12,50"), "is not a number: “12,50”"),
        (entry("-1.00"), "is not a number: “-1.00”"),
        (entry("1e3"), "is not a number"),
        (entry(""), "no amount"),
        (entry(direction="DEBIT"), "CRDT or DBIT, and is “DEBIT”"),
        (entry(direction=""), "CRDT or DBIT, and is missing"),
        (entry(booked=None), "no booking date"),
        (entry(booked="2026-02-30"), "BookgDt is not a date: “2026-02-30”"),
        (entry(booked=None, valued="2026-02-30"), "ValDt is not a date: “2026-02-30”"),
        (entry(valued="2026-02-32"), "ValDt is not a date: “2026-02-32”"),
        (entry(currency="EURO"), "“EURO” is not an ISO"),
        (entry(reference="x" * 1001), "longer than 1,000"),
        (entry(more=tag("CdtDbtInd", "CRDT")), "states CdtDbtInd twice: “DBIT” and “CRDT”"),
        (entry(more=tag("Amt", "1.00", Ccy="EUR")), "states Amt twice: “12.50” and “1.00”"),
        (entry(more=tag("Amt", "12.50", Ccy="USD")), "states Amt@Ccy twice: “EUR” and “USD”"),
        (entry(more=tag("Sts", tag("Cd", "INFO"))), "states Sts/Cd twice: “BOOK” and “INFO”"),
        (entry(more=tag("BookgDt", tag("Dt", "2026-03-03"))), "states BookgDt/Dt twice"),
        (balance("CLBD", "1.2.3"), "A balance (CLBD, line 2 of the file)"),
    ],
)
def test_a_figure_that_could_be_wrong_refuses_the_file(broken, says):
    said = refusal(message(statement(entry(), broken)))
    assert says in said
    assert "line 2 of the file" in said


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (message(), "without a statement"),
        (b"<Document><CstmrCdtTrfInitn><PmtInf/></CstmrCdtTrfInitn></Document>", "a payment order"),
        (b"<Document><Page/></Document>", "not a bank statement"),
        (message("<Stmt><Id>1</Id></Stmt>"), "neither an account nor entries"),
        (message(statement(entry())).replace(b"</Acct>", b"</Account>"), "damaged"),
        (message(statement(entry())).replace(b"<Document", b"<!DOCTYPE a><Document"), "document type"),
    ],
)
def test_what_is_no_statement_is_refused_with_a_sentence(data, says):
    assert says in refusal(data)


amounts = st.decimals(Decimal("0.01"), 10**9, places=2)
entries = st.lists(
    st.tuples(amounts, st.sampled_from(["CRDT", "DBIT"]), st.dates(date(1990, 1, 1), date(2099, 12, 31))),
    max_size=5,
)


@given(entries, st.data())
def test_a_file_cut_anywhere_is_refused(content, data):
    whole = message(statement(*(entry(str(size), way, booked=on.isoformat()) for size, way, on in content)))
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(FileRefusedError):
        read(whole[:cut])


@given(entries)
def test_days_and_amounts_come_out_as_they_went_in(content):
    data = message(statement(*(entry(str(size), way, booked=on.isoformat()) for size, way, on in content)))
    lines = read(data).statements[0].lines
    expected = [(on, size if way == "CRDT" else -size) for size, way, on in content]
    assert [(line.booked_on, line.amount) for line in lines] == expected


def test_a_balance_without_a_direction_is_left_out_and_said():
    undirected = balance("OPBD", "100.00", "2026-03-01").replace("<CdtDbtInd>CRDT</CdtDbtInd>", "")
    assert "CdtDbtInd" not in undirected
    found = read(message(statement(undirected, balance("CLBD", "87.50"), entry("12.50", "DBIT"))))
    (account,) = found.statements
    assert [str(line.amount) for line in account.lines] == ["-12.50"]
    assert (account.opening, account.closing.amount) == (None, Decimal("87.50"))
    assert "balances (OPBD) have no direction" in found.warnings[0]
    assert "must be CRDT or DBIT" in refusal(
        message(statement(undirected.replace("<Amt", "<CdtDbtInd>X</CdtDbtInd><Amt")))
    )
