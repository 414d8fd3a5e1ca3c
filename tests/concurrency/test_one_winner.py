"""Two acts that rule each other out, at the same moment: what is left is what one after the other would leave (P12)."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

import pytest

from tests.concurrency.crowds import PATIENCE_SECONDS, Answer, Client
from tests.fixtures.desks import Desk
from webapp.queries import checks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

QUICK, PROMISED = 3, 200
DAY, STATEMENT_DAY = "2026-03-02", "2026-03-31"
Request = tuple[str, str, Any] | tuple[str, str, Any, str]


@pytest.fixture
def duel(gunicorn, ada) -> Iterator[Callable[[Request, Request], tuple[Answer, Answer]]]:
    """Let two clients, each with its own connection, ask at the same moment."""
    address, barrier = gunicorn(2), threading.Barrier(2)
    with ExitStack() as stack, ThreadPoolExecutor(2) as threads:
        clients = [stack.enter_context(closing(Client(address, ada.token))) for _ in range(2)]

        def ask(client: Client, request: Request) -> Answer:
            barrier.wait(PATIENCE_SECONDS)
            return client.send(*request)

        def both(one: Request, other: Request) -> tuple[Answer, Answer]:
            first, second = threads.map(ask, clients, (one, other))
            return first, second

        yield both


@pytest.fixture
def rival(duel, bank, rounds, figure):
    def hold(name: str, prepare: Callable[[int], Any], allowed: set[tuple[Any, ...]]) -> None:
        ends: Counter[tuple[Any, ...]] = Counter()
        for number in range(rounds(QUICK, PROMISED)):
            one, other, state = prepare(number)
            answers = duel(one, other)
            ends[*(_said(answer) for answer in answers), *state()] += 1
        mixed = {end: times for end, times in ends.items() if end not in allowed}
        broken = bank.ask(lambda: [each.as_json() for each in checks.violations()])
        figure("P12", f"{name}, {ends.total()} rounds: {sum(mixed.values())} mixed; {dict(ends)}")
        assert mixed == {}
        assert broken == []

    return hold


def _said(answer: Answer) -> Any:
    """Give an answer's code where it refuses, else whether it changed anything where it says so."""
    if answer.status != 200:
        return answer.status, answer.body.get("code")
    return "changed" if answer.body.get("changed", True) else "unchanged"


@pytest.fixture
def line_state(ada):
    def state(line: int) -> tuple[str, str | None]:
        there = ada.get(f"/api/transactions/{line}").json["transaction"]
        return there["status"], there["entryStatus"]

    return state


def confirming(line: int) -> Request:
    return "POST", f"/api/transactions/{line}/confirm", {}


def test_confirming_against_voiding(rival, ada, bank, line_state):
    def prepare(number):
        line = bank.send(DAY, "-1.00", f"Line {number}")
        entry = ada.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
        voiding = ("POST", f"/api/journal-entries/{entry}/void", {"reason": "Wrong"})
        return confirming(line), voiding, lambda: line_state(line)

    rival(
        "confirm against void",
        prepare,
        {
            ("changed", "changed", "BOOKED", "DRAFT"),
            ("changed", (409, "draft"), "BOOKED", "POSTED"),
        },
    )


def test_confirming_against_deleting(rival, bank, line_state):
    def prepare(number):
        line = bank.send(DAY, "-1.00", f"Line {number}")
        return confirming(line), ("DELETE", f"/api/transactions/{line}", None), lambda: line_state(line)

    rival(
        "confirm against delete",
        prepare,
        {
            ("changed", (409, "posted"), "BOOKED", "POSTED"),
            ((409, "deleted"), "changed", "DELETED", None),
        },
    )


def test_two_changes_upon_the_same_version(rival, ada, bank):
    """Each client has read the line and holds its write to what it read: one is done, one is told to read again."""

    def prepare(number):
        path = f"/api/transactions/{bank.send(DAY, '-1.00', f'Line {number}')}"
        tag = ada.get(path).headers["ETag"]
        one, other = (("PATCH", path, {"description": text}, tag) for text in ("Tea", "Cake"))
        return one, other, lambda: ()

    stale = (412, "stale_version")
    rival("two changes of one version", prepare, {("changed", stale), (stale, "changed")})


@pytest.fixture
def statement(ada, bank):
    def ready(number: int, *, is_confirmed: bool = True) -> tuple[Desk, int]:
        bank.open(f"Account {number}")
        line = bank.send(DAY, "100.00")
        desk = Desk(ada, bank.at(bank.fa_id))
        if is_confirmed:
            desk.confirm(line)
        assert desk.put(STATEMENT_DAY, "100.00").status_code == 200
        assert desk.clear(cleared=[line]).status_code == 200
        return desk, line

    return ready


def standing(desk: Desk) -> tuple[str | None, str | None]:
    account = desk.account()
    anchor, draft = account["anchor"], account["draft"]
    return anchor and ("proof" if anchor["holds"] else "broken proof"), draft and "draft"


def test_two_persons_file_one_return(rival, ada):
    done = ada.post("/api/tax/packs/generic-vat/install", json={"from": "2026-01-01", "frequency": "MONTHLY"})
    assert done.status_code == 201, done.json

    def prepare(number):
        path = "/api/tax/returns/open?form=generic-vat"
        found = ada.get(path).json["taxReturn"]
        body = {"form": "generic-vat", "to": found["to"], "digest": found["digest"]}
        filing = ("POST", "/api/tax/returns", body)
        return filing, filing, lambda: (ada.get(path).json["taxReturn"]["from"] > found["to"],)

    filed, late = (201, None), (422, "not_a_period")
    rival("two filings of one return", prepare, {(filed, late, True), (late, filed, True)})


def test_filing_a_return_while_a_line_of_its_period_is_confirmed(rival, ada, bank):
    """The return is another one by then, or the line is late in the next one: never in both or none."""
    done = ada.post("/api/tax/packs/generic-vat/install", json={"from": "2026-01-01", "frequency": "MONTHLY"})
    assert done.status_code == 201, done.json
    codes = ada.get("/api/tax/codes?limit=200").json["taxCodes"]
    code = next(each["id"] for each in codes if each["code"] == "S20")
    sales = bank.account("Shop", "INCOME")
    path, lines = "/api/tax/returns/open?form=generic-vat", []

    def prepare(number):
        found = ada.get(path).json["taxReturn"]
        line = bank.send(found["to"], "12.00")
        answer = ada.patch(f"/api/transactions/{line}", json={"accountId": sales, "taxCodeId": code})
        assert answer.status_code == 200, answer.json
        body = {"form": "generic-vat", "to": found["to"], "digest": found["digest"]}

        lines.append(line)

        def taxes():
            """Return whether each sale is in one return that is filed, or in the open one."""
            filed = ada.get("/api/tax/returns?limit=200").json["taxReturns"]
            found = [ada.get(path).json["taxReturn"], *filed]
            sums = [each["exact"] for one in found for each in one["boxes"] if each["box"] == "A"]
            return (sum(map(float, sums)) == 2 * len(lines),)

        return ("POST", "/api/tax/returns", body), confirming(line), taxes

    filed, moved = (201, None), (409, "moved")
    rival("filing against confirming", prepare, {(filed, "changed", True), (moved, "changed", True)})


def test_completing_against_abandoning(rival, statement):
    def prepare(number):
        desk, _ = statement(number)
        asked = ("POST", f"{desk.path}/complete", {}), ("POST", f"{desk.path}/abandon", {})
        return *asked, lambda: standing(desk)

    rival(
        "complete against abandon",
        prepare,
        {("changed", "changed", "proof", None), ((409, "no_draft"), "changed", None, None)},
    )


def test_completing_against_confirming_within_its_period(rival, statement, line_state):
    def prepare(number):
        desk, line = statement(number, is_confirmed=False)
        asked = ("POST", f"{desk.path}/complete", {}), confirming(line)
        return *asked, lambda: (*standing(desk), *line_state(line))

    rival(
        "complete against confirm of a cleared line",
        prepare,
        {
            ("changed", "changed", "proof", None, "BOOKED", "POSTED"),
            ((409, "unconfirmed"), "changed", None, "draft", "BOOKED", "POSTED"),
        },
    )


def test_reopening_against_abandoning(rival, statement):
    def prepare(number):
        desk, _ = statement(number)
        assert desk.complete().status_code == 200
        asked = ("POST", f"{desk.path}/reopen", {"reason": "Wrong"}), ("POST", f"{desk.path}/abandon", {})
        return *asked, lambda: standing(desk)

    rival(
        "reopen against abandon",
        prepare,
        {("changed", "changed", None, "draft"), ("changed", "changed", None, None)},
    )


def test_two_merchants_that_are_merged_into_each_other_end_as_one(rival, ada, bank):
    def prepare(number):
        one, other = (bank.merchant(f"Shop {number} {name}") for name in "AB")
        requests = [
            ("POST", f"/api/merchants/{each}/merge", {"mergedIntoId": into})
            for each, into in ((one, other), (other, one))
        ]

        def merged():
            found = [ada.get(f"/api/merchants/{each}").json["merchant"] for each in (one, other)]
            return (sum(each["mergedIntoId"] is not None for each in found),)

        return *requests, merged

    refused = (409, "merged")
    rival("merge both ways", prepare, {("changed", refused, 1), (refused, "changed", 1)})
