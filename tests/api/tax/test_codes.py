"""Tax codes: what is written with one becomes its base and its tax, each with its boxes."""

from decimal import Decimal

import pytest

from tests.api.tax.conftest import Taxes, done
from tests.fixtures import invoices
from tests.fixtures.helpers.documents import sent
from webapp.queries.tax import packs

HALF = {
    "of": "TAX",
    "factor": "0.5",
    "role": "input",
    "boxes": [{"form": "generic-vat", "box": "D", "factor": "0.5"}],
}
BASE = {"of": "BASE", "factor": "1", "boxes": [{"form": "generic-vat", "box": "G", "factor": "1"}]}


def test_a_sale_with_a_code_is_its_base_and_its_tax(taxes):
    entry = taxes.sale("2026-02-03", "119.99", "S20")
    assert taxes.legs(entry) == [
        ("Petty cash", "119.99"),
        ("Sales of services", "-99.99", "S20", "2026-02-03", {"F": "99.99"}),
        ("VAT payable", "-20.00", "S20", "2026-02-03", {"A": "20.00"}),
    ]


@pytest.mark.parametrize(
    ("base", "gross", "legs"),
    [
        ("JPY", "2330", [("Software", "2118"), ("VAT receivable", "212")]),
        ("KWD", "13.122", [("Software", "11.929"), ("VAT receivable", "1.193")]),
    ],
)
def test_tax_is_rounded_in_the_digits_of_the_base_currency(ada, bank, base, gross, legs):
    taxes = Taxes(ada, bank, base)
    entry = taxes.purchase("2026-02-03", gross, "P10")
    assert [leg[:2] for leg in taxes.legs(entry)[1:]] == legs


def test_a_posting_may_be_without_its_tax_and_of_another_day(taxes):
    entry = taxes.enter(
        "2026-02-03",
        ("Petty cash", "-60.06", None, {}),
        ("Software", "20.02", "P20", {"taxIncluded": False, "taxPoint": "2026-01-31"}),
        ("Hosting", "30.03", "P20", {"taxIncluded": False, "taxPoint": "2026-01-31"}),
    )
    assert taxes.legs(entry)[1:] == [
        ("Software", "20.02", "P20", "2026-01-31", {"G": "20.02"}),
        ("Hosting", "30.03", "P20", "2026-01-31", {"G": "30.03"}),
        ("VAT receivable", "10.01", "P20", "2026-01-31", {"D": "10.01"}),
    ]


def test_a_reverse_charge_is_on_both_sides_and_in_no_price(taxes):
    entry = taxes.purchase("2026-02-03", "250.00", "P-RC")
    assert taxes.legs(entry)[1:] == [
        ("Software", "250.00", "P-RC", "2026-02-03", {"G": "250.00"}),
        ("VAT receivable", "50.00", "P-RC", "2026-02-03", {"D": "50.00"}),
        ("VAT payable", "-50.00", "P-RC", "2026-02-03", {"B": "50.00"}),
    ]


def test_the_splits_of_a_line_share_one_rounding_of_each_code(taxes, bank):
    line = bank.send("2026-02-03", "33.33")
    splits = [("Sales of services", "10.00", "S20", {})] * 3
    taxes.split(line, *splits, ("Sales of goods", "3.33", "S20", {}))
    legs = taxes.of_line(line)
    assert [leg[1] for leg in legs] == ["33.33", "-8.33", "-8.33", "-8.33", "-2.78", "-5.56"]
    done(taxes.person.post(f"/api/transactions/{line}/confirm", json={}))
    assert taxes.of_line(line) == legs
    assert bank.broken() == []


def test_splits_add_up_to_the_line_with_the_taxes_that_they_do_not_include(taxes, bank):
    line = bank.send("2026-02-03", "-120.00")
    refused = taxes.split(line, ("Software", "-110.00", "P20", {"taxIncluded": False}), expect=422)
    assert refused["code"] == "splits_do_not_add_up"
    taxes.split(line, ("Software", "-100.00", "P20", {"taxIncluded": False}))
    assert [leg[:2] for leg in taxes.of_line(line)[1:]] == [
        ("Software", "100.00"),
        ("VAT receivable", "20.00"),
    ]
    taxes.split(line, ("Software", "-120.00", "P0", {}))
    assert [leg[1:] for leg in taxes.of_line(line)[1:]] == [("120.00", "P0", "2026-02-03", {"G": "120.00"})]


def test_a_correction_moves_the_boxes_and_a_void_takes_them_back(taxes, bank):
    line = bank.send("2026-02-03", "-120.00")
    taxes.split(line, ("Software", "-120.00", "P20", {}))
    done(taxes.person.post(f"/api/transactions/{line}/confirm", json={}))
    taxes.split(line, ("Software", "-120.00", "P10", {}))
    done(taxes.person.post(f"/api/transactions/{line}/confirm", json={}))
    entries = taxes.person.get("/api/journal-entries").json["entries"]
    sums = {}
    for entry in entries:
        for leg in entry["postings"]:
            for box in leg.get("boxes", ()):
                sums[box["box"]] = sums.get(box["box"], 0) + round(float(box["amount"]) * 100)
    assert sums == {"D": 1091, "G": 10909}
    original = next(entry["id"] for entry in entries if entry["source"] == "bank_feed")
    done(taxes.person.post(f"/api/journal-entries/{original}/void", json={"reason": "Twice"}))
    void = next(
        entry
        for entry in taxes.person.get("/api/journal-entries").json["entries"]
        if entry["source"] == "void"
    )
    taken = [leg for leg in taxes.legs(void["id"]) if len(leg) > 2]
    assert [(leg[2], leg[3]) for leg in taken] == [("P10", "2026-02-03")] * 2
    assert {box: amount for leg in taken for box, amount in leg[4].items()} == {"D": "-10.91", "G": "-109.09"}
    assert bank.broken() == []


def test_a_code_is_for_some_accounts_and_from_the_first_day_of_its_form_on(taxes, bank):
    refusals = [
        (("Software", "-120.00", "S20", {"taxPoint": "2025-12-31"}), "before_start", 409),
        (("Sales of services", "-120.00", "P20", {}), "tax_code", 422),
        (("VAT receivable", "-120.00", "P20", {}), "tax_account", 422),
        (("Trade payables", "-120.00", "P20", {}), "tax_account", 422),
        (("Owner's drawings", "-120.00", "P20", {}), "tax_account", 422),
    ]
    line = bank.send("2026-02-03", "-120.00")
    before = taxes.of_line(line)
    for split, code, status in refusals:
        assert taxes.split(line, split, expect=status)["code"] == code
    assert taxes.of_line(line) == before


def test_a_code_goes_by_the_tax_point_and_what_follows_an_invoice_has_it_whatever_became_of_it(taxes, bank):
    path = f"/api/tax/codes/{taxes.codes['S20']}"
    done(taxes.person.patch(path, json={"validTo": "2026-02-28"}))
    sale = ("Petty cash", "12.00", None, {}), ("Sales of services", "-12.00", "S20", {})
    late = (
        ("Petty cash", "12.00", None, {}),
        ("Sales of services", "-12.00", "S20", {"taxPoint": "2026-03-01"}),
    )
    entry = taxes.enter("2026-02-28", *sale)
    assert taxes.enter("2026-02-28", *late, expect=422)["code"] == "tax_code"
    behind = ("Sales of services", "-12.00", "S20", {"taxPoint": "2026-02-28"})
    taxes.enter("2026-03-05", sale[0], behind)
    done(taxes.person.patch(path, json={"isArchived": True}))
    postings = [taxes.posting(*each[:3]) for each in (sale[0], ("Other income", "-12.00", "S20"))]
    body = {"postings": postings, "reason": "Another account", "why": "OUR_ENTRY"}
    done(taxes.person.post(f"/api/journal-entries/{entry}/correct", json=body))
    assert bank.broken() == []


@pytest.mark.parametrize("code_id", [999999, 0, "S20"])
def test_a_code_that_the_books_have_not_is_named_at_its_posting(taxes, code_id):
    postings = [taxes.posting("Petty cash", "12.00"), taxes.posting("Sales of services", "-12.00")]
    postings[1]["taxCodeId"] = code_id
    body = {"effectiveAt": "2026-02-03", "postings": postings}
    answer = taxes.person.post("/api/journal-entries", json=body)
    assert (answer.status_code, [*answer.json["fields"]]) == (422, ["postings.1.taxCodeId"])


def test_what_is_saved_without_a_word_of_taxes_keeps_its_codes_as_long_as_its_amounts(taxes, bank):
    line = bank.send("2026-02-03", "-120.00")
    taxes.split(line, ("Software", "-120.00", "P20", {}))
    legs = taxes.of_line(line)
    taxes.split(line, ("Software", "-100.00", None, {}), ("VAT receivable", "-20.00", None, {}))
    assert taxes.of_line(line) == legs
    taxes.split(
        line, ("Software", "-100.00", None, {"taxCodeId": None}), ("VAT receivable", "-20.00", None, {})
    )
    assert [len(leg) for leg in taxes.of_line(line)] == [2, 2, 2]
    entry = taxes.enter(
        "2026-02-03", ("Petty cash", "-12.00", None, {}), ("Software", "12.00", "P20", {}), post=False
    )
    path = f"/api/journal-entries/{entry}"
    saved = [
        taxes.posting(name, amount)
        for name, amount in (("Petty cash", "-12.00"), ("Software", "10.00"), ("VAT receivable", "2.00"))
    ]
    version = done(taxes.person.get(path))["version"]
    body = {"effectiveAt": "2026-02-04", "postings": saved, "version": version}
    legs = taxes.legs(entry)
    version = done(taxes.person.put(path, json=body))["version"]
    assert taxes.legs(entry) == legs
    saved = [{**each, "amount": str(float(each["amount"]) * 2)} for each in saved]
    done(taxes.person.put(path, json={**body, "postings": saved, "version": version}))
    assert [len(leg) for leg in taxes.legs(entry)] == [2, 2, 2]


def test_a_closing_entry_has_no_taxes(taxes):
    postings = ("Retained earnings", "-12.00", None, {}), ("Software", "12.00", "P0", {})
    assert taxes.enter("2026-12-31", *postings, expect=422, source="closing")["code"] == "no_tax_here"


def test_what_a_code_posts_never_changes_and_its_name_and_end_do(taxes):
    new = {"code": "P20-CAR", "name": "Leased cars", "side": "PURCHASE", "rate": "20"}
    shares = [BASE, HALF, {"of": "TAX", "factor": "0.5"}]
    code = done(taxes.person.post("/api/tax/codes", json={**new, "shares": shares}))["taxCode"]
    taxes.codes["P20-CAR"], taxes.names[code["id"]] = code["id"], "P20-CAR"
    entry = taxes.purchase("2026-02-03", "12.04", "P20-CAR")
    assert [leg[1:] for leg in taxes.legs(entry)[1:]] == [
        ("11.03", "P20-CAR", "2026-02-03", {"G": "10.03"}),
        ("1.01", "P20-CAR", "2026-02-03", {"D": "1.01"}),
    ]
    path = f"/api/tax/codes/{code['id']}"
    assert taxes.person.patch(path, json={"rate": "10"}).status_code == 422
    done(taxes.person.patch(path, json={"name": "Cars", "validTo": "2026-02-28"}))
    postings = ("Petty cash", "-12.04", None, {}), ("Software", "12.04", "P20-CAR", {})
    assert taxes.enter("2026-03-01", *postings, expect=422)["code"] == "tax_code"
    done(taxes.person.patch(path, json={"isArchived": True}))
    assert taxes.enter("2026-02-28", *postings, expect=422)["code"] == "tax_code"


@pytest.mark.parametrize(
    ("shares", "path"),
    [
        ([BASE, BASE, HALF], "shares"),
        ([BASE], "shares"),
        (
            [BASE, {**HALF, "boxes": [{"form": "uk-vat100", "box": "4", "factor": "1"}]}],
            "shares.1.boxes.0.form",
        ),
        (
            [BASE, {**HALF, "boxes": [{"form": "generic-vat", "box": "E", "factor": "1"}]}],
            "shares.1.boxes.0.box",
        ),
    ],
)
def test_a_code_has_one_base_a_tax_and_boxes_of_its_forms(taxes, shares, path):
    new = {"code": "X", "name": "X", "side": "PURCHASE", "rate": "20", "shares": shares}
    answer = taxes.person.post("/api/tax/codes", json=new)
    assert (answer.status_code, [*answer.json["fields"]]) == (422, [path])


def test_a_pack_is_installed_once_into_books_of_its_currency(taxes, chart):
    again = taxes.person.post("/api/tax/packs/generic-vat/install", json={"from": "2026-01-01"})
    other = taxes.person.post("/api/tax/packs/uk-vat100/install", json={"from": "2026-01-01"})
    none = taxes.person.post("/api/tax/packs/xy/install", json={"from": "2026-01-01"})
    codes = [answer.json["code"] for answer in (again, other, none)]
    assert codes == ["pack_installed", "pack_currency", "not_found"]
    assert chart["Tax authority"]
    packs = taxes.person.get("/api/tax/packs").json
    assert [(each["name"], each["from"]) for each in packs["packs"]] == [
        ("generic-vat", "2026-01-01"),
        ("uk-vat100", None),
    ]
    assert "computing partial exemption" in packs["notSupported"]


def test_accounts_of_taxes_are_in_base_and_of_no_other_use(ada, bank, chart):
    dollars = bank.account("Dollars of tax", "LIABILITY", currency="USD")
    refused = [("output", chart["Trade payables"]), ("input", chart["Software"]), ("output", dollars)]
    for role, account in [*refused, ("authority", chart["VAT payable"])]:
        body = {"from": "2026-01-01", "accounts": {role: account}}
        answer = ada.post("/api/tax/packs/generic-vat/install", json=body)
        assert (answer.status_code, answer.json["code"]) == (422, "tax_account_unfit"), role
    assert ada.get("/api/tax/codes").json["taxCodes"] == []
    own = bank.account("Output tax", "LIABILITY")
    body = {"from": "2026-01-01", "accounts": {"output": own}}
    done(ada.post("/api/tax/packs/generic-vat/install", json=body))
    account = ada.get(f"/api/accounts/{own}").json["account"]
    assert (account["currency"], account["isSystem"]) == ("EUR", True)


def test_what_an_invoice_states_by_category_has_its_code(ada, bank):
    books = Taxes(ada, bank)
    data = invoices.ubl(tax="10.00", gross="160.00", due="160.00").decode()
    for old, new in (("19.00", "10.00"), ("3.50", "0.00"), (">19<", ">10<"), (">7<", ">0<")):
        data = data.replace(old, new)
    before, _, behind = data.partition("50.00</cbc:TaxableAmount>")
    data = f"{before}50.00</cbc:TaxableAmount>{behind.replace('>S<', '>AE<', 1)}"
    bill = sent(ada, data.encode(), "invoice.xml").json["document"]["id"]
    shown = done(ada.get(f"/api/documents/{bill}/booking"))["booking"]["postings"]
    found = [
        (each["category"], books.names.get(each["taxCodeId"])) for each in shown if each["kind"] == "NET"
    ]
    assert found == [("S", "P10"), ("AE", "P-RC")]
    page = ada.browser().get(f"/journal/new?documentId={bill}").text
    assert [f'value="{books.codes[code]}" selected' in page for code in ("P10", "P-RC", "P20")] == [
        True,
        True,
        False,
    ]
    chosen = [("S", "10", "P10"), ("AE", "0", "P-RC")]
    codes = [{"category": of, "rate": rate, "taxCodeId": books.codes[code]} for of, rate, code in chosen]
    body = {"accountId": books.accounts["Software"], "taxCodes": codes, "post": True, "force": True}
    done(ada.post(f"/api/documents/{bill}/entry", json=body))
    query = {"form": "generic-vat", "to": "2026-03-31"}
    boxes = done(ada.get("/api/tax/returns/open", query_string=query))["taxReturn"]["boxes"]
    assert [each["amount"] for each in boxes if each["box"] in "BDG"] == ["10.00", "20.00", "150.00"]


@pytest.mark.parametrize(
    ("row", "is_abroad", "code"),
    [
        (("S", "20"), False, "P20"),
        (("Z", "0"), False, "P0"),
        (("E", "0"), False, "PE"),
        (("AE", "0"), False, "P-DRC"),
        (("AE", "0"), True, "P-RCS"),
        (("K", "0"), True, "P-NIAQ"),
        (("O", "0"), False, None),
        ((None, "20"), False, None),
    ],
)
def test_a_category_is_that_of_one_purchase_of_a_pack(row, is_abroad, code):
    category, rate = row
    codes = [each for each in packs.content("uk-vat100").codes if each.rule.side == "PURCHASE"]
    found = [each.code for each in codes if each.is_of(category, Decimal(rate), is_abroad=is_abroad)]
    assert found == ([code] if code else [])


def test_lines_get_a_code_as_a_whole_at_once(taxes, bank):
    bank.open()
    sold, bought, split = bank.send_many(
        [
            ("2026-02-03", "120.00", "Invoice"),
            ("2026-02-04", "-60.00", "Shop"),
            ("2026-02-05", "-30.00", "Both"),
        ]
    )
    taxes.split(split, ("Software", "-20.00", "P20", {}), ("Rent", "-10.00", None, {}))
    income, software = taxes.accounts["Sales of services"], taxes.accounts["Software"]
    changes = [
        {"id": sold, "accountId": income, "taxCodeId": taxes.codes["S20"]},
        {"id": bought, "accountId": software, "taxCodeId": taxes.codes["P20"]},
        {"id": split, "taxCodeId": taxes.codes["P20"]},
    ]

    def results():
        found = done(taxes.person.patch("/api/transactions", json={"changes": changes}))["results"]
        return [each["changed"] if each["status"] == "EXECUTED" else each["code"] for each in found]

    assert results() == [True, True, "split"]
    assert [leg[:3] for leg in taxes.of_line(sold)[1:]] == [
        ("Sales of services", "-100.00", "S20"),
        ("VAT payable", "-20.00", "S20"),
    ]
    assert results() == [False, False, "split"]
    done(taxes.person.patch(f"/api/transactions/{sold}", json={"taxCodeId": None}))
    assert [leg[:3] for leg in taxes.of_line(sold)[1:]] == [("Sales of services", "-120.00")]
    both = {"taxCodeId": taxes.codes["P20"], "splits": [taxes.posting("Rent", "-30.00", "P20")]}
    wrong = taxes.person.patch(f"/api/transactions/{split}", json=both)
    assert (wrong.status_code, wrong.json["code"]) == (422, "account_or_splits")
    archived = taxes.person.patch(f"/api/transactions/{bought}", json={"taxCodeId": 999_999})
    assert list(archived.json["fields"]) == ["taxCodeId"]


def test_what_settles_an_item_takes_no_code(taxes, bank):
    bank.open()
    acme = done(taxes.person.post("/api/merchants", json={"name": "Acme"}))["merchant"]["id"]
    owed = taxes.posting("Trade receivables", "120.00", orgMerchantId=acme)
    entry = {
        "effectiveAt": "2026-02-03",
        "postings": [owed, taxes.posting("Sales of services", "-120.00", "S20")],
    }
    done(taxes.person.post("/api/journal-entries", json={**entry, "post": True, "force": True}))
    (item,) = done(taxes.person.get("/api/items"))["items"]
    line = bank.send("2026-02-10", "120.00", "Acme")
    pays = {"settles": [{"itemId": item["id"], "amount": "120.00"}]}
    done(taxes.person.patch(f"/api/transactions/{line}", json=pays))
    for change in ({"taxCodeId": taxes.codes["S20"]}, {**pays, "taxCodeId": taxes.codes["S20"]}):
        answer = taxes.person.patch(f"/api/transactions/{line}", json=change)
        assert (answer.status_code, answer.json["code"]) == (422, "tax_on_settlement")
