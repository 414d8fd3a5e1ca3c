"""Rules that set tax codes: on lines that come in, on past ones, on posted ones, and back again."""

from io import BytesIO

import pytest

from tests.api.audit.test_agent_undos import undone
from tests.api.tax.conftest import Taxes, done
from tests.api.tax.test_returns import file
from tests.fixtures.feeds import line
from tests.fixtures.helpers.transfers import confirm

pytestmark = pytest.mark.usefixtures("sound")
RULES, RUNS = "/api/automations/rules", "/api/automations/runs"


class Ruled(Taxes):
    """Books with taxes whose rules set codes."""

    def rule(self, code, account=None, text="Hosting", **more):
        effects = [{"kind": "SET_TAX_CODE", "taxCodeId": self.codes[code]}]
        if account is not None:
            effects.insert(0, {"kind": "SET_ACCOUNT", "accountId": self.accounts[account]})
        conditions = {"conditions": [{"field": "DESCRIPTION", "value": text}]}
        body = {"name": code, "conditions": conditions, "effects": effects, **more}
        return done(self.person.post(RULES, json=body))["rule"]["id"]

    def preview(self, rule):
        return done(self.person.post(f"{RULES}/{rule}/preview"))["preview"]

    def apply(self, rule):
        digest = self.preview(rule)["digest"]
        return done(self.person.post(f"{RULES}/{rule}/apply", json={"digest": digest}))["run"]

    def undo(self, run):
        return done(self.person.post(f"{RUNS}/{run}/undo"))

    def boxes(self, to, *wanted):
        query = {"form": self.pack, "to": to}
        found = done(self.person.get("/api/tax/returns/open", query_string=query))["taxReturn"]
        boxes = {each["box"]: each["exact"] for each in found["boxes"]}
        return [boxes[each] for each in wanted]


@pytest.fixture
def ruled(ada, bank, feed):
    """Books with taxes whose account Checking has a feed."""
    found = Ruled(ada, bank)
    found.feed = feed
    return found


BASE = ("Software", "100.00", "P20", "2026-03-10", {"G": "100.00"})
CODED = [("Checking", "-120.00"), BASE, ("VAT receivable", "20.00", "P20", "2026-03-10", {"D": "20.00"})]
PLAIN = [("Checking", "-120.00"), ("Uncategorised expenses", "120.00")]


def come_in(ruled, *names, amount="-120.00", text="Hosting March", **facts):
    added = [line(name, amount, "2026-03-10", text, **facts) for name in names]
    return [each["transactionId"] for each in ruled.feed.results(added=added)]


def of_line(ruled, line_id):
    """Give the legs of a line, that of the bank's account without what its name adds."""
    first, *others = ruled.of_line(line_id)
    return [("Checking", *first[1:]), *others]


def skipped(ruled, rule):
    return [each["reason"] for item in ruled.preview(rule)["items"] for each in item["skipped"]]


def test_a_line_that_comes_in_gets_account_and_code_and_counts_in_its_boxes(ruled, ada):
    rule = ruled.rule("P20", "Software")
    [there] = come_in(ruled, "A")
    assert of_line(ruled, there) == CODED
    found = done(ada.get(f"/api/transactions/{there}"))["transaction"]
    by_rule = {each["field"]: (each["ruleId"], each["before"]) for each in found["provenance"]}
    assert by_rule["taxCodeId"] == (rule, None)
    confirm(ada, there)
    assert ruled.boxes("2026-03-31", "D", "G") == ["20.00", "100.00"]


@pytest.mark.both
def test_the_postings_of_a_line_that_a_rule_coded_are_listed_by_box(ruled, ada):
    ruled.rule("P20", "Software")
    [there] = come_in(ruled, "A")
    confirm(ada, there)
    filed = file(ruled, "2026-03-31")
    found = done(ada.get(f"/api/tax/returns/{filed['id']}/postings?box=D"))["postings"]
    assert [(each["accountName"], each["amountBase"]) for each in found] == [("VAT receivable", "20.00")]


def test_a_run_over_past_lines_is_undone_field_by_field(ruled, ada):
    two = come_in(ruled, "A", "B")
    rule = ruled.rule("P20", "Software")
    run = ruled.apply(rule)
    assert run["changed"] == 2
    assert [of_line(ruled, each) for each in two] == [CODED, CODED]
    again = ruled.preview(rule)
    assert (again["matched"], again["changed"]) == (2, 0)
    assert again["items"][0]["after"]["taxCodeId"] == ruled.codes["P20"]
    assert again["items"][0]["after"]["amount"] == "-120.00"
    assert ruled.undo(run["id"])["restored"] == 4
    assert [of_line(ruled, each) for each in two] == [PLAIN, PLAIN]


def test_a_later_rule_changes_the_code_and_its_undo_brings_the_first_one_back(ruled):
    [there] = come_in(ruled, "A")
    ruled.apply(ruled.rule("P20", "Software", is_active=False))
    run = ruled.apply(ruled.rule("P0"))
    assert of_line(ruled, there)[1:] == [("Software", "120.00", "P0", "2026-03-10", {"G": "120.00"})]
    ruled.undo(run["id"])
    assert of_line(ruled, there) == CODED


@pytest.mark.parametrize(("code", "boxes"), [("P20", ["20.00", "100.00"]), ("P0", ["0.00", "120.00"])])
def test_a_posted_line_gets_its_code_by_a_correction(ruled, ada, code, boxes):
    [there] = come_in(ruled, "A")
    done(ada.post(f"/api/transactions/{there}/confirm", json={"force": True}))
    rule = ruled.rule(code, "Software")
    assert ruled.preview(rule)["markers"] == 1
    ruled.apply(rule)
    done(ada.post(f"/api/transactions/{there}/confirm", json={"force": True}))
    assert ruled.boxes("2026-03-31", "D", "G") == boxes


def test_a_posted_line_gets_a_code_that_moves_no_amount(ruled, ada):
    account = {"kind": "SET_ACCOUNT", "accountId": ruled.accounts["Software"]}
    done(ada.post(RULES, json={"name": "Account", "effects": [account]}))
    [there] = come_in(ruled, "A")
    confirm(ada, there)
    ruled.apply(ruled.rule("P0"))
    confirm(ada, there)
    assert ruled.boxes("2026-03-31", "G") == ["120.00"]


def test_what_does_not_fit_is_left_out_with_its_reason(ruled, ada):
    come_in(ruled, "A")
    income = "P20 is a tax code of purchases, and “Sales of services” is income."
    assert skipped(ruled, ruled.rule("P20", "Sales of services")) == [income]
    equity = "A tax code belongs to income, expenses or what is bought, not to “Opening balances”."
    assert skipped(ruled, ruled.rule("P20", "Opening balances")) == [equity]
    done(ada.patch(f"/api/tax/codes/{ruled.codes['P5']}", json={"validTo": "2026-02-28"}))
    assert skipped(ruled, ruled.rule("P5", "Software")) == ["The tax code P5 is not valid on 10 Mar 2026."]
    done(ada.patch(f"/api/tax/codes/{ruled.codes['P5']}", json={"isArchived": True}))
    archived = "The tax code P5 is archived; choose another one."
    assert archived in skipped(ruled, ruled.rule("P5", "Hosting"))


def test_a_line_that_somebody_gave_another_code_keeps_it(ruled, ada):
    [there] = come_in(ruled, "A")
    body = {"accountId": ruled.accounts["Software"], "taxCodeId": ruled.codes["P0"]}
    done(ada.patch(f"/api/transactions/{there}", json=body))
    assert skipped(ruled, ruled.rule("P20")) == ["A person has edited this line."]


def test_a_line_from_before_the_taxes_has_no_code(ruled):
    ruled.feed.results(added=[line("A", "-120.00", "2025-12-30", "Hosting December")])
    before = "The books have taxes from a later day than 30 Dec 2025 on."
    assert skipped(ruled, ruled.rule("P20", "Software")) == [before]


@pytest.mark.parametrize(
    ("effect", "field"),
    [
        ({"taxCodeId": 999999}, "effects.0.taxCodeId"),
        ({"taxCodeId": "P20"}, "effects.0.taxCodeId"),
        ({}, "effects.0.taxCodeId"),
    ],
)
def test_a_rule_with_an_unknown_code_is_refused_at_its_field(ruled, ada, effect, field):
    body = {"name": "Codes", "effects": [{"kind": "SET_TAX_CODE", **effect}]}
    answer = ada.post(RULES, json=body)
    assert answer.status_code == 422
    assert field in answer.json["fields"]


def test_a_rule_on_receipts_sets_no_code(ruled, ada):
    effects = [{"kind": "SET_TAX_CODE", "taxCodeId": ruled.codes["P20"]}]
    answer = ada.post(RULES, json={"name": "Codes", "target": "RECEIPT", "effects": effects})
    assert answer.status_code == 422
    assert "effects.0.kind" in answer.json["fields"]


FILE = (
    b"OFXHEADER:100\n\n<OFX><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>one</BANKACCTFROM><BANKTRANLIST><STMTTRN>"
    b"<TRNTYPE>OTHER<DTPOSTED>20260310<TRNAMT>-120.00<FITID>1<NAME>A</STMTTRN></BANKTRANLIST></STMTRS></OFX>\n"
)


def preset(ruled, account, code):
    path = f"/api/accounts/{ruled.accounts[account]}"
    return ruled.person.patch(path, json={"taxCodeId": code and ruled.codes[code]})


@pytest.fixture
def with_preset(ruled):
    """Books in which a line on Software gets P20."""
    assert done(preset(ruled, "Software", "P20"))["account"]["taxCodeId"] == ruled.codes["P20"]
    return ruled


def put(books, line_id, account="Software", **more):
    return books.person.patch(
        f"/api/transactions/{line_id}", json={"accountId": books.accounts[account], **more}
    )


def test_a_line_gets_the_code_of_the_account_unless_another_one_or_none_is_said(with_preset):
    one, two, three = come_in(with_preset, "A", "B", "C")
    done(put(with_preset, one))
    assert of_line(with_preset, one) == CODED
    done(put(with_preset, two, taxCodeId=with_preset.codes["P0"]))
    assert of_line(with_preset, two)[1:] == [("Software", "120.00", "P0", "2026-03-10", {"G": "120.00"})]
    done(put(with_preset, three, taxCodeId=None))
    assert of_line(with_preset, three)[1:] == [("Software", "120.00")]


def test_a_part_gets_the_code_that_its_account_had_on_the_line_or_has_for_all(with_preset):
    [line_] = come_in(with_preset, "A")

    def split(*parts, expect=200):
        with_preset.split(line_, *parts, expect=expect)
        return [(leg[0], leg[1], *leg[2:3]) for leg in of_line(with_preset, line_)[1:]]

    preset_ = [("Software", "50.00", "P20"), ("Rent", "60.00"), ("VAT receivable", "10.00", "P20")]
    assert split(("Software", "-60.00", None, {}), ("Rent", "-60.00", None, {})) == preset_
    other = split(("Software", "-60.00", "P0", {}), ("Rent", "-60.00", "P10", {}))
    assert [leg[2] for leg in other] == ["P0", "P10", "P10"]
    moved = split(("Software", "-65.00", None, {}), ("Rent", "-55.00", None, {}))
    assert moved == [("Software", "65.00", "P0"), ("Rent", "50.00", "P10"), ("VAT receivable", "5.00", "P10")]
    none = {"taxCodeId": None}
    bare = [("Software", "60.00"), ("Rent", "60.00")]
    assert split(("Software", "-60.00", None, none), ("Rent", "-60.00", None, none)) == bare
    assert split(("Software", "-60.00", None, {}), ("Rent", "-60.00", None, {})) == bare


def test_an_account_that_is_sent_again_changes_no_code(with_preset):
    one, two = come_in(with_preset, "A", "B")
    done(put(with_preset, one, taxCodeId=None))
    done(put(with_preset, one))
    assert of_line(with_preset, one)[1:] == [("Software", "120.00")]
    done(put(with_preset, two, taxCodeId=with_preset.codes["P0"]))
    done(put(with_preset, two))
    assert of_line(with_preset, two)[1:] == [("Software", "120.00", "P0", "2026-03-10", {"G": "120.00"})]


def test_a_rule_gives_the_code_of_its_account_and_takes_it_back(with_preset, ada):
    account = {"kind": "SET_ACCOUNT", "accountId": with_preset.accounts["Software"]}
    [there] = come_in(with_preset, "A")
    rule = done(ada.post(RULES, json={"name": "Account", "effects": [account]}))["rule"]["id"]
    assert with_preset.preview(rule)["items"][0]["after"]["taxCodeId"] == with_preset.codes["P20"]
    run = with_preset.apply(rule)
    assert of_line(with_preset, there) == CODED
    with_preset.undo(run["id"])
    assert of_line(with_preset, there) == PLAIN
    [new] = come_in(with_preset, "B")
    assert of_line(with_preset, new) == CODED
    found = done(ada.get(f"/api/transactions/{new}"))["transaction"]
    assert {each["field"]: each["ruleId"] for each in found["provenance"]}["taxCodeId"] == rule


def test_a_rule_gives_the_code_of_its_account_to_the_lines_of_a_file(with_preset, ada):
    account = {"kind": "SET_ACCOUNT", "accountId": with_preset.accounts["Software"]}
    done(ada.post(RULES, json={"name": "Account", "effects": [account]}))
    file = (BytesIO(FILE), "one.ofx")
    done(ada.post("/api/feeds/imports", data={"file": file}, content_type="multipart/form-data"))
    [new] = done(ada.get("/api/transactions"))["transactions"]
    assert of_line(with_preset, new["id"]) == CODED


def test_lines_that_come_in_with_a_code_cost_no_statement_each(with_preset, ada, statements):
    account = {"kind": "SET_ACCOUNT", "accountId": with_preset.accounts["Software"]}
    done(ada.post(RULES, json={"name": "Account", "effects": [account]}))

    def pushed(*names):
        with statements() as seen:
            lines = come_in(with_preset, *names)
        assert of_line(with_preset, lines[-1]) == CODED
        return sum(each.startswith(("INSERT", "UPDATE", "DELETE")) for each in seen)

    pushed("A")
    assert pushed(*"BCDEFGHI") == pushed("J")


def test_a_foreign_line_gets_the_code_of_its_account_at_the_tax_rate(with_preset, bank, ada):
    account = {"kind": "SET_ACCOUNT", "accountId": with_preset.accounts["Software"]}
    done(ada.post(RULES, json={"name": "Account", "effects": [account]}))
    bank.quote("2026-03-10", "USD", "1.10")
    rate = {"currency": "USD", "unitsPerBase": "1.20", "use": "TAX", "day": "2026-03-10"}
    done(ada.put("/api/exchange-rates", json={"rates": [rate]}))
    with_preset.feed.fa_id = bank.open("Dollars", "USD")
    [new] = come_in(with_preset, "A", currency="USD")
    taxed = of_line(with_preset, new)[1:]
    assert [each[1] for each in taxed] == ["100.00", "16.67"]
    assert [each[4] for each in taxed] == [{"G": "83.33"}, {"D": "16.67"}]


def test_a_line_gets_no_code_whose_tax_has_no_account(ada, feed):
    shares = [
        {"of": "BASE", "factor": "1", "boxes": []},
        {"of": "TAX", "factor": "1", "role": "input", "boxes": []},
    ]
    own = {"code": "OWN", "name": "Own", "side": "PURCHASE", "rate": "10", "shares": shares}
    code = done(ada.post("/api/tax/codes", json=own))["taxCode"]["id"]
    effects = [{"kind": "SET_TAX_CODE", "taxCodeId": code}]
    done(ada.post(RULES, json={"name": "Own", "effects": effects}))
    pushed = done(feed.push(added=[line()]))
    assert pushed["results"][0]["verdict"] == "NEW"
    [run] = done(ada.get(RUNS))["runs"]
    assert run["changed"] == 0
    assert run["skipped"][0]["reason"].startswith("The books have no account for this tax")


@pytest.mark.parametrize("account", ["Opening balances", "VAT receivable", "Sales of services"])
def test_an_account_refuses_a_code_that_none_of_its_lines_can_have(ruled, account):
    answer = preset(ruled, account, "P20")
    assert (answer.status_code, answer.json["code"]) == (422, "tax_code")


def test_the_code_of_an_account_has_a_title_and_is_taken_back_by_its_inverse(ruled, ada):
    agent = ada.with_scopes("read", "admin")
    path = f"/api/accounts/{ruled.accounts['Software']}"
    done(agent.patch(path, json={"taxCodeId": ruled.codes["P20"]}))
    [act, *_] = ada.get("/api/action-requests?limit=1").json["actionRequests"]
    assert act["title"] == "Changed the account Software: tax code P20"
    assert undone(ada, agent) == {}
    assert done(ada.get(path))["account"]["taxCodeId"] is None
