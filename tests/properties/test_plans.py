"""A plan does what its steps do one by one, and nothing where one of them is refused."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.contract.likenesses import Likeness
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.planning import plan
from tests.fixtures.helpers.replays import everything

if TYPE_CHECKING:
    from tests.fixtures.people import Person

LISTS = {
    "transactions": "transactions",
    "journal-entries": "entries",
    "projects": "projects",
    "merchants": "merchants",
    "reconciliations": "reconciliations",
}
REFERENCE = re.compile(r"\{([0-9]+)#/([a-z/]+)\}")


@pytest.fixture
def lines(bank):
    days = [f"2026-03-{day:02}" for day in range(2, 8)]
    return bank.send_many([(day, "-2.50", "Coffee") for day in days])


@pytest.fixture
def accounts(bank):
    return [bank.account("Food"), bank.account("Care"), bank.account("Fun")]


@pytest.fixture
def again(house, lines, accounts):
    assert lines
    assert accounts
    house.leave()
    house.store.copy("books", "seeded")

    def begin() -> None:
        house.leave()
        house.store.copy("seeded", "books")

    yield begin
    house.leave()
    house.store.drop("seeded")


class Chance:
    """Draws steps, some of which name what an earlier one made, and some of which no rule allows."""

    def __init__(self, seed: int, lines: list[int], accounts: list[int]) -> None:
        self.random = Random(seed)  # noqa: S311  (the same ones every time)
        self.lines, self.accounts = lines, accounts
        self.projects: list[int] = []

    def steps(self) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        while len(found) < 2 + self.random.randrange(5):
            found.append(self._step(len(found) + 1))
        return found

    def _step(self, number: int) -> tuple[Any, ...]:  # noqa: PLR0911  (a table of steps)
        line, account = self.random.choice(self.lines), self.random.choice(self.accounts)
        path = f"/transactions/{line}"
        kind = self.random.randrange(8)
        if kind == 0:
            self.projects.append(number)
            return ("POST", "/projects", {"name": f"Project {self.random.randrange(4)}"})
        if kind == 1 and self.projects:
            made = {"$ref": f"{self.random.choice(self.projects)}#/project/id"}
            return ("PATCH", path, {"projectId": made})
        if kind == 2 and self.projects:
            return (
                "PATCH",
                f"/projects/{{{self.random.choice(self.projects)}#/project/id}}",
                {"emoji": "🌐"},
            )
        if kind == 3:
            return ("POST", "/transactions/confirm", {"ids": self.random.sample(self.lines, 2)})
        if kind == 4:
            return ("DELETE", path) if self.random.random() < 0.3 else ("PATCH", path, {"accountId": account})
        if kind == 5:
            legs = [
                {"accountId": account, "amount": "3.00"},
                {"accountId": self.accounts[0], "amount": "-3.00"},
            ]
            return ("POST", "/journal-entries", {"effectiveAt": "2026-03-09", "postings": legs, "post": True})
        if kind == 6:
            return ("POST", f"{path}/confirm")
        return ("PATCH", path, {"accountId": account})


def one_by_one(person: Person, steps: list[tuple[Any, ...]]) -> int | None:
    """Do the steps of a plan as calls of their own; answers the number of the first that is refused."""
    answers: dict[int, Any] = {}
    for number, (method, written, *body) in enumerate(steps, 1):
        path = REFERENCE.sub(lambda match: str(value(match[1], match[2], answers)), written)
        sent = {"json": filled(body[0], answers)} if body else {}
        answer = person.ask(method, f"/api{path}", **sent)
        if answer.status_code >= 300 or any(
            each.get("status") == "FAILED" for each in answer.json.get("results", ())
        ):
            return number
        answers[number] = answer.json
    return None


def value(step: str, pointer: str, answers: dict[int, Any]) -> Any:
    found = answers[int(step)]
    for key in pointer.split("/"):
        found = found[key]
    return found


def filled(body: Any, answers: dict[int, Any]) -> Any:
    if isinstance(body, dict):
        if "$ref" in body:
            return value(*body["$ref"].split("#/"), answers)
        return {key: filled(inner, answers) for key, inner in body.items()}
    return [filled(each, answers) for each in body] if isinstance(body, list) else body


def read(person: Person) -> dict[str, Any]:
    """Read the books, without what is another one each time."""
    return {path: Likeness().of(everything(person, path, key)) for path, key in LISTS.items()}


@on_sqlite
def test_a_plan_does_what_its_steps_do_one_by_one(again, ben, bank, lines, accounts, rounds, figure):
    done = refused = 0
    untouched = read(ben)
    for number in range(rounds(12, 500)):
        steps = Chance(number, lines, accounts).steps()
        again()
        failing = one_by_one(ben, steps)
        expected = untouched if failing else read(ben)
        again()
        answer = ben.post("/api/plans", json=plan(*steps))
        assert answer.status_code < 500, steps
        assert (answer.status_code == 200) == (failing is None), (steps, answer.json)
        if failing:
            assert answer.json["details"]["step"]["number"] == failing, (steps, answer.json)
            refused += 1
        done += failing is None
        assert read(ben) == expected, steps
        assert bank.broken() == []
    assert done
    assert refused
    figure(
        "Plans", f"{done} random plans did what their steps do one by one, {refused} refused ones did nothing"
    )
