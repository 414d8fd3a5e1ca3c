"""Each of the small files of one kind is read as its manifest says, or asked about where that is allowed."""

import json
from collections import Counter
from decimal import Decimal

import pytest
from click.testing import CliRunner

from tests.corpus.comparing import accounts, in_types, read_or_refused
from tests.corpus.manifest import Entry
from tests.fixtures.corpus import CORPUS
from webapp.cli import main
from webapp.importers.invoices import read
from webapp.importers.invoices.rules import findings
from webapp.ledger.files.file_kinds import FileKindError, kind_of

LISTED = CORPUS / "open" / "MANIFEST.json"
MANIFEST = json.loads(LISTED.read_text(encoding="utf-8")) if LISTED.is_file() else {}
ENTRIES = MANIFEST.get("entries", [])
INVOICES = MANIFEST.get("invoices", [])
SEQUENCES = MANIFEST.get("sequences", [])
NONE, EITHER = "must_reject", "accept_or_reject"
CURRENCIES = {"plaid": "USD"}


def data_of(each):
    return (CORPUS / "open" / each["path"]).read_bytes()


@pytest.mark.parametrize("each", ENTRIES, ids=lambda each: each["path"])
def test_a_bank_file_is_read_as_the_manifest_says(each, record_property):
    entry = Entry(f"open/{each['path']}", each["expected"], each.get("csv_mapping"))
    bank_file = read_or_refused(entry.data, entry.mapping or None)
    record_property("corpus_format", f"open {each['format']}")
    if bank_file is None:
        assert entry.outcome in {NONE, EITHER}
        return
    assert entry.outcome != NONE
    for found, record in zip(accounts(bank_file), entry.accounts, strict=True):
        names = [name for name in found if record.get(name) is not None]
        assert {name: found[name] for name in names} == {name: in_types(name, record[name]) for name in names}
    (line, *_), *_ = [statement.lines for statement in bank_file.statements] or [[None]]
    for name, value in each.get("fields", {}).items():
        assert f"'{value}'" in repr(line), name


@pytest.mark.parametrize("each", INVOICES, ids=lambda each: each["path"])
def test_an_invoice_is_taken_at_the_door_and_judged_by_its_own_profile(each, record_property):
    record_property("corpus_format", f"open {each['format']}")
    outcome, expected = each["expected"]["outcome"], each["expected"]
    try:
        kind_of(data_of(each))
    except FileKindError:
        assert outcome in {NONE, EITHER}
        return
    assert outcome != NONE
    invoice = read(data_of(each))
    totals = invoice.totals
    figures = {"net": totals.net, "gross": totals.gross, "due": totals.due, "tax": invoice.tax}
    assert figures == {name: Decimal(expected[name]) for name in figures}
    assert (invoice.number, invoice.type_code) == (expected["number"], expected["type"])
    assert len(invoice.lines) == expected["lines"]
    rules = {each.rule for each in findings(invoice)}
    assert each["findings"] in ("*", ["*"]) or rules == set(
        [] if each["findings"] == "none" else each["findings"]
    )


@pytest.mark.parametrize("each", SEQUENCES, ids=lambda each: each["payloads"][0])
def test_payloads_in_their_order_leave_the_lines_that_the_bank_has(each, app, ada, bank, record_property):
    record_property("corpus_format", f"open {each['format']}")
    fa_id = bank.open("Current", CURRENCIES.get(each["format"], "EUR"))
    words = ["--provider", each["format"], "--account", str(fa_id), "--json"]
    for path in each["payloads"]:
        with app.app_context():
            pushed = CliRunner().invoke(main, ["push", str(CORPUS / "open" / path), *words])
        assert pushed.exit_code == 0, pushed.output
    lines = ada.get("/api/transactions", query_string={"faId": fa_id}).json["transactions"]
    booked = [line for line in lines if line["status"] == "BOOKED"]
    expected = each["expected"]
    assert len(booked) == expected["booked"]
    assert sum(Decimal(line["amount"]) for line in booked) == Decimal(expected["sum"])
    assert len([line for line in lines if line["status"] == "PENDING"]) == expected.get("pending", 0)
    if "warnings" in expected:
        assert len(json.loads(pushed.stdout)["warnings"]) == expected["warnings"]
    if "new" in expected:
        verdicts = Counter(one["verdict"] for one in json.loads(pushed.stdout)["results"])
        assert verdicts == {"NEW": len(expected["new"]), "ALREADY_THERE": len(expected["unchanged"])}
        texts = {f"{line['amount']} {line['description']}" for line in booked}
        assert texts == {*expected["new"], *expected["unchanged"]}
