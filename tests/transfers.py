"""What a test of transfers asks and does, over the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from werkzeug.test import TestResponse

    from tests.fixtures.banks import Bank
    from tests.fixtures.people import Person


def send(bank: Bank, fa_id: int, day: str, amount: str, text: str = "Moving", **facts: Any) -> int:
    """Let a bank send one line of one of its accounts."""
    bank.fa_id = fa_id
    return bank.send(day, amount, text, **facts)


def line(person: Person, line_id: int) -> dict[str, Any]:
    return person.get(f"/api/transactions/{line_id}").json["transaction"]


def entry(person: Person, line_id: int) -> dict[str, Any]:
    """Read the entry that a line names."""
    entry_id = line(person, line_id)["journalEntryId"]
    return person.get(f"/api/journal-entries/{entry_id}").json["entry"]


def settle(person: Person, act: str, one: int, other: int) -> TestResponse:
    """Join or unjoin two lines."""
    return person.post(f"/api/transactions/{one}/{act}", json={"transactionId": other})


def join(person: Person, one: int, other: int) -> dict[str, Any]:
    answer = settle(person, "join", one, other)
    assert answer.status_code == 200, answer.json
    return answer.json["transaction"]


def confirm(person: Person, line_id: int) -> dict[str, Any]:
    answer = person.post(f"/api/transactions/{line_id}/confirm")
    assert answer.status_code == 200, answer.json
    return answer.json


def legs(found: dict[str, Any]) -> list[tuple[str, str, bool]]:
    """Give an entry's postings by account."""
    return sorted((each["accountName"], each["amount"], each["isBankLeg"]) for each in found["postings"])


def suggested(person: Person, line_id: int) -> list[dict[str, Any]]:
    return person.get(f"/api/transactions/{line_id}/suggestions").json["suggestions"]


def open_items(person: Person) -> list[dict[str, Any]]:
    return person.get("/api/open-items").json["openItems"]


def hub(person: Person) -> list[dict[str, Any]]:
    return person.get("/api/reconciliations/accounts").json["accounts"]
