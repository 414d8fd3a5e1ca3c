"""Adjustments of boxes by hand: with the legs of their tax, a reason, and a document or a note."""

import pytest

from tests.api.tax.conftest import Taxes, done


class Adjusted(Taxes):
    """Books that adjust boxes by hand."""

    def adjust(self, day, reason, boxes, tax=None, *, account="VAT payable", expect=201, **body):
        legs = (
            ()
            if tax is None
            else ((account, tax), ("Software", tax.lstrip("-") if "-" in tax else f"-{tax}"))
        )
        sent = {
            "form": self.pack,
            "taxPoint": day,
            "reason": reason,
            "boxes": [{"box": box, "amount": amount} for box, amount in boxes.items()],
            "legs": [self.posting(*leg) for leg in legs],
            "note": "As the table of the authority says",
            **body,
        }
        answer = self.person.post("/api/tax/adjustments", json=sent)
        assert answer.status_code == expect, answer.json
        return answer.json["journalEntryIds"][0] if expect == 201 else answer.json

    def opened(self, to):
        query = {"form": self.pack, "to": to}
        return done(self.person.get("/api/tax/returns/open", query_string=query))["taxReturn"]

    def file(self, to):
        body = {"form": self.pack, "to": to, "digest": self.opened(to)["digest"]}
        return done(self.person.post("/api/tax/returns", json=body))["taxReturn"]["id"]


@pytest.mark.parametrize(
    ("base", "pack", "box", "net", "tax", "size"),
    [
        ("GBP", "uk-vat100", "1", "6", "51.50", "257.50"),
        ("JPY", "generic-vat", "A", "F", "51", "257"),
        ("KWD", "generic-vat", "A", "F", "0.515", "2.575"),
    ],
)
def test_an_adjustment_is_in_its_boxes_and_on_the_accounts_of_taxes(
    ada, bank, base, pack, box, net, tax, size
):
    books = Adjusted(ada, bank, base, pack)
    entry = books.adjust("2026-03-31", "FUEL_SCALE", {box: tax, net: size}, f"-{tax}")
    exact = {each["box"]: each["exact"] for each in books.opened("2026-03-31")["boxes"]}
    assert (exact[box], exact[net]) == (tax, size)
    found = done(ada.get(f"/api/journal-entries/{entry}"))["entry"]
    assert (found["source"], found["canVoid"]) == ("tax", True)
    assert [[each["box"] for each in leg["boxes"]] for leg in found["postings"]] == [[box], [net]]
    listed = [ada.get(f"/api/journal-entries?source={each}").json["entries"] for each in ("tax", "manual")]
    assert [[each["id"] for each in entries] for entries in listed] == [[entry], []]
    assert bank.broken() == []


@pytest.mark.parametrize(
    ("boxes", "tax", "body", "code"),
    [
        ({"1": "51.50"}, "51.50", {}, "adjustment_legs"),
        ({"1": "51.50"}, None, {}, "adjustment_legs"),
        ({"6": "51.50"}, "-51.50", {}, "adjustment_legs"),
        ({"1": "51.50"}, "-51.50", {"note": " "}, "note_missing"),
        ({"3": "51.50"}, "-51.50", {}, "validation"),
        ({"1": "51.505"}, "-51.50", {}, "too_many_digits"),
        ({"1": "51.50"}, "-51.50", {"taxPoint": "2025-12-31"}, "before_start"),
    ],
)
def test_an_adjustment_that_does_not_fit_is_refused_whole(ada, bank, boxes, tax, body, code):
    books = Adjusted(ada, bank, "GBP", "uk-vat100")
    expect = 409 if code == "before_start" else 422
    assert books.adjust("2026-03-31", "OTHER", boxes, tax, expect=expect, **body)["code"] == code
    assert ada.get("/api/journal-entries").json["entries"] == []


def test_boxes_without_tax_need_no_legs_and_before_the_start_they_come_late(ada, bank):
    books = Adjusted(ada, bank, "GBP", "uk-vat100")
    entry = books.adjust("2025-12-31", "OTHER", {"6": "-500.00"}, note="", late=True)
    assert books.legs(entry)[0][1:2] == ("0.00",)
    (row,) = books.opened("2026-03-31")["late"]
    assert (row["journalEntryId"], row["as"], row["errorOf"]) == (entry, "ERROR", "2025-12-31")


def test_an_adjustment_is_late_by_its_reason_and_stays_once_it_is_filed(ada, bank):
    books = Adjusted(ada, bank, "GBP", "uk-vat100")
    books.file("2026-03-31")
    refused = books.adjust("2026-03-31", "FUEL_SCALE", {"1": "51.50"}, "-51.50", expect=409)
    assert refused["code"] == "tax_period_filed"
    fuel = books.adjust("2026-03-31", "FUEL_SCALE", {"1": "51.50"}, "-51.50", late=True)
    exempt = books.adjust(
        "2026-03-31", "PARTIAL_EXEMPTION", {"4": "-75.50"}, "-75.50", account="VAT receivable", late=True
    )
    gone = books.adjust("2026-05-31", "OTHER", {"1": "9.00"}, "-9.00")
    undone = ada.post(f"/api/journal-entries/{gone}/void", json={"reason": "Twice"})
    assert undone.status_code == 200
    late = {row["journalEntryId"]: row["as"] for row in books.opened("2026-06-30")["late"]}
    assert late == {fuel: "ERROR", exempt: "NO_ERROR"}
    filed = books.file("2026-06-30")
    refused = ada.post(f"/api/journal-entries/{fuel}/void", json={"reason": "No", "late": True})
    assert (refused.status_code, refused.json["code"]) == (409, "stamped")
    assert done(ada.get(f"/api/journal-entries/{fuel}"))["entry"]["canVoid"] is False
    done(ada.post(f"/api/tax/returns/{filed}/withdraw", json={"reason": "Again"}))
    done(ada.post(f"/api/journal-entries/{fuel}/void", json={"reason": "No", "late": True}))
    assert bank.broken() == []
