"""What the abuse cases share: books with something to harm, a reading of what may not change, and their count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.fixtures.helpers.owed import items, owe
from tests.fixtures.helpers.replays import everything

if TYPE_CHECKING:
    from collections.abc import Callable

    from werkzeug.test import TestResponse

    from tests.fixtures.people import Person


@dataclass(frozen=True)
class Victim:
    """Books that an agent is told to harm: what has an id in them, and who owns them."""

    owner: Person
    line: int
    other_line: int
    posted: int
    entry: int
    proof: int
    fa_id: int
    account: int
    other_account: int
    owed: tuple[int, int]
    books: Any

    def get(self, path: str) -> Any:
        answer = self.owner.get(f"/api{path}")
        assert answer.status_code == 200, answer.json
        return answer.json


@pytest.fixture
def victim(ada, bank, books, desk):
    """A posted line in a proof that holds, two drafts, an open statement, and an invoice with its credit note."""
    account = bank.account("Food")
    posted = bank.send("2026-10-02", "850.00", "Client")
    desk.of(ada).confirm(posted)
    proof = desk.prove()["id"]
    line, other_line = bank.send_many([("2026-11-03", "-45.20", "REWE"), ("2026-11-04", "-9.00", "Aldi")])
    assert desk.put("2026-11-20", "850.00").status_code == 200
    acme = bank.merchant("Acme")
    for amount, reference in (("45.20", "RE-1"), ("-45.20", "CN-1")):
        owe(ada, books, amount, acme, reference=reference, day="2026-10-03")
    owed = {each["reference"]: each["id"] for each in items(ada)}
    entry = ada.get(f"/api/transactions/{posted}").json["transaction"]["journalEntryId"]
    other_account = bank.account("Care")
    pair = (owed["RE-1"], owed["CN-1"])
    return Victim(
        ada, line, other_line, posted, entry, proof, bank.fa_id, account, other_account, pair, books
    )


@pytest.fixture
def harm(victim, books):
    """Read what only a person may change: what is posted, settled, proved and locked, who has keys, what is decided.

    A document beside an entry and a new bank account without a proof are no change of these.
    """

    def read():
        entries = everything(victim.owner, "journal-entries", "entries")
        requests = everything(victim.owner, "action-requests", "actionRequests")
        hub = victim.get("/reconciliations/accounts")["accounts"]
        pages = victim.owner.browser()
        return {
            "balances": books.balances(),
            "posted": [{**each, "origin": None} for each in entries if each["status"] != "DRAFT"],
            "proofs": [each["anchor"] for each in hub if each["anchor"] or each["faId"] == victim.fa_id],
            "settled": victim.get("/settlements")["settlements"],
            "owed": {each["id"]: each["open"] for each in victim.get("/items?limit=200")["items"]},
            "lock": victim.get("/lock-date"),
            "keys": pages.get("/settings/keys").text.count("/revoke"),
            "members": pages.get("/settings/members").text.count("@example.com"),
            "decided": [each["id"] for each in requests if (each["decidedBy"] or {}).get("kind") == "PERSON"],
        }

    return read


class Cases:
    """Attempts at what nobody but a person may change; each is a case, and the run says how many there were."""

    def __init__(self, harm: Callable[[], Any], tell: Callable[[int], None]) -> None:
        self._harm, self._tell = harm, tell
        self._tried = 0
        self._before = harm()

    def attempt(self, answer: TestResponse, *refusals: int) -> TestResponse:
        assert answer.status_code in refusals, (answer.request.path, answer.status_code, answer.text)
        self._tried += 1
        return answer

    def end(self) -> None:
        """Refuse any difference that the attempts made."""
        after = self._harm()
        for name, earlier in self._before.items():
            assert after[name] == earlier, name
        self._tell(self._tried)


@pytest.fixture
def cases(harm, bank, figure):
    def begin(kind):
        return Cases(harm, lambda count: figure("Abuse", f"{kind}: {count} cases, 0 unsafe"))

    yield begin
    assert bank.broken() == []
