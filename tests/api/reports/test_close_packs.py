"""The pack of a close: every list of it, for paper and as a workbook that another reader opens."""

import re
from decimal import Decimal
from io import BytesIO

import pytest
from python_calamine import CalamineWorkbook

PACK = "/api/closes/2026-03/pack"


@pytest.fixture
def kept(ada, bank, books, desk, sound):
    """Books with a proved bank, costs of March and an invoice that nobody paid."""
    bank.open()
    line = bank.send("2026-03-05", "-30.00", "Shop")
    ada.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Rent")})
    desk.confirm(line)
    desk.prove("2026-03-31", "-30.00")
    legs = [
        {
            "accountId": books.account_id("Trade receivables"),
            "amount": "119.00",
            "orgMerchantId": bank.merchant("Mill"),
        },
        {"accountId": books.account_id("Sales of services"), "amount": "-119.00"},
    ]
    body = {"effectiveAt": "2026-03-09", "postings": legs, "post": True}
    for each in (body, {**body, "post": False}):
        assert ada.post("/api/journal-entries", json=each).status_code == 201
    return ada


def sheets(answer):
    book = CalamineWorkbook.from_filelike(BytesIO(answer.data))
    return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}


def test_the_workbook_has_a_sheet_for_each_list_with_real_figures(kept):
    signed_in = kept.browser()
    steps = kept.get("/api/closes/2026-03").json["close"]["steps"]
    left = [{"step": each["code"], "note": "Seen"} for each in steps if each["state"] == "TO_DO"]
    assert left
    assert signed_in.post("/api/closes/2026-03/complete", json={"accept": left}).status_code == 200
    answer = kept.get(PACK)
    assert (answer.status_code, answer.headers["Content-Disposition"]) == (
        200,
        "attachment; filename=close-2026-03.xlsx",
    )
    found = sheets(answer)
    assert [*found] == [
        "Month end", "Profit and loss", "Balance sheet", "Cash flow", "Changes in equity", "Trial balance",
        "Aged receivables", "Aged payables", "Proofs of banks", "Proofs of balances", "Cut-off",
        "Large changes", "Steps",
    ]  # fmt: skip
    assert ["Figures since", "Holds"] in found["Month end"]
    (result,) = [row for row in found["Profit and loss"] if row[1] == "Result"]
    assert Decimal(str(result[2])) == Decimal("89.00")
    assert [row[2] for row in found["Proofs of banks"][1:]] == [-30]
    assert ("Mill", 119) in {(row[0], row[7]) for row in found["Aged receivables"]}
    assert found["Profit and loss"][0][2:] == ["2026-03-01 to 2026-03-31", "2026-01-01 to 2026-03-31"]
    accepted = [row for row in found["Steps"][1:] if row[1] == "Accepted"]
    assert {row[5] for row in accepted} == {"Seen"}


def test_a_pack_keeps_what_was_closed(kept):
    steps = kept.get("/api/closes/2026-03").json["close"]["steps"]
    left = [{"step": each["code"], "note": "Seen"} for each in steps if each["state"] == "TO_DO"]
    assert kept.browser().post("/api/closes/2026-03/complete", json={"accept": left}).status_code == 200
    before = sheets(kept.get(PACK))
    rent = next(
        each["id"] for each in kept.get("/api/accounts?limit=200").json["accounts"] if each["name"] == "Rent"
    )
    kept.patch(f"/api/accounts/{rent}", json={"inScope": False, "note": "Private"})
    after = sheets(kept.get(PACK))
    assert ["Figures since", "Presented differently"] in after.pop("Month end")
    assert before.pop("Month end")
    assert after == before


@pytest.mark.rare
def test_the_pages_have_the_same_tables(kept):
    page = kept.browser().get("/month-end/2026-03/pack")
    assert page.status_code == 200
    for title in sheets(kept.get(PACK)):
        assert f">{title}</h2>" in page.text
    assert "Pack" in kept.browser().get("/month-end/2026-03").text
    assert kept.get("/api/closes/2030-03/pack").status_code == 422


def test_a_page_writes_a_pack_in_its_language(kept):
    signed_in = kept.browser()
    steps = kept.get("/api/closes/2026-03").json["close"]["steps"]
    left = [{"step": each["code"], "note": "Seen"} for each in steps if each["state"] == "TO_DO"]
    assert signed_in.post("/api/closes/2026-03/complete", json={"accept": left}).status_code == 200
    page = signed_in.get("/month-end/2026-03/pack", headers={"Accept-Language": "de"}).text
    shown = set(re.findall(r"<t[dh][^>]*>([^<]+)</t[dh]>", page))
    assert {
        "1. März 2026 bis 31. März 2026",
        "31. März 2026",
        "31 bis 60 Tage",
        "Gesamt",
        "Angenommen",
    } <= shown
    assert {"Gilt", "Ja", "Prüfsumme", "Anzahl", "Kontoauszug", "Abgeschlossen"} <= shown
    assert "Summe: Gemeinkosten" in shown
    assert not {each for each in shown if re.match(r"\d{4}-|Total|Yes|Open$|Holds|Return$", each)}
