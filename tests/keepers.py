"""A bookkeeper in a test: one act after another, chosen at random, over the API; a refusal is an act as well.

What an act does hangs on a `chance`, which answers like `random.Random`: one made from a seed, or Hypothesis' own.
"""

from __future__ import annotations

import io
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any

from tests.ofx_statements import Line, bank_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from tests.fixtures.banks import Bank
    from tests.fixtures.people import Person

# Done, or refused by a rule of the books; 404 is for what somebody took away in the meantime.
LEGAL = frozenset({200, 201, 404, 409, 422})
DAYS = tuple(f"2026-03-{day:02}" for day in range(1, 13))
AMOUNTS = ("-40.00", "-2.50", "-2.50", "7.00", "40.00", "100.00")
TEXTS = ("Coffee Bar", "COFFEE BAR", "Tea house", "Moving")
LOCKS = (None, None, None, "2026-02-28", "2026-03-02", "2026-03-06")
STATEMENT_DAYS = ("2026-03-04", "2026-03-08", "2026-03-12", "2026-03-31")


@dataclass
class Known:
    """What the keepers of the same books know of them, each adding to it; an id may be of something gone."""

    feeds: dict[int, str]
    accounts: list[int]
    bank_accounts: list[int]
    projects: list[int]
    merchants: list[int]
    lines: list[int] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)
    imports: list[int] = field(default_factory=list)
    numbers: count = field(default_factory=count)
    said: dict[int, list[str]] = field(default_factory=dict)
    stated: dict[int, list[Line]] = field(default_factory=dict)

    @classmethod
    def equip(cls, bank: Bank) -> Known:
        """Open three banks' accounts in two currencies, and the accounts that their lines are booked to."""
        for day, rate in (("2026-02-25", "1.25"), ("2026-03-04", "1.0842"), ("2026-03-09", "0.97")):
            bank.quote(day, "USD", rate)
        feeds = {
            bank.open("Giro"): "EUR",
            bank.open("Card", type_="LIABILITY"): "EUR",
            bank.open("Dollars", "USD"): "USD",
        }
        return cls(
            feeds,
            [
                bank.account("Fees"),
                bank.account("Sales", "INCOME"),
                bank.account("Owed", "LIABILITY"),
                bank.account("Travel", requires_counterparty=True),
                bank.role("transfers"),
            ],
            [bank.ledger_account(fa_id) for fa_id in feeds],
            [bank.project("Film")],
            [bank.merchant("Printer")],
        )

    def learn(self, known: list[int], *ids: int | None) -> None:
        """Remember ids that an answer named."""
        known.extend(each for each in ids if each is not None and each not in known)


def asking(person: Person) -> Callable[..., tuple[int, Any]]:
    """Let a keeper ask as a person does, without a server between."""

    def ask(method: str, path: str, **options: Any) -> tuple[int, Any]:
        answer = person.ask(method, path, **options)
        return answer.status_code, answer.json

    return ask


class Keeper:
    """Somebody who keeps books over the API, asked by `ask(method, path, **options)`; counts what came of it."""

    def __init__(self, ask: Callable[..., tuple[int, Any]], known: Known) -> None:
        self._ask = ask
        self.known = known
        self.counts: Counter[tuple[str, int]] = Counter()
        self.told: list[str] = []

    def act(self, name: str, chance: Random) -> None:
        """Do one of the ACTS."""
        self._name = name
        ACTS[name](self, chance)

    def send(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        """Ask, and give the answer, or None where a rule refused it; anything else is a mistake of the product's."""
        if body is not None:
            options["json"] = body
        status, answer = self._ask(method, f"/api/{path}", **options)
        self.told.append(f"{method} {path} {options} -> {status} {answer.get('code', '')}")
        assert status in LEGAL, f"{self.told[-1]}\n{answer}"
        if method != "GET":
            self.counts[self._name, status] += 1
        return answer if status in (200, 201) else None

    def line(self, chance: Random) -> int:
        """Choose a line, or one that never was."""
        return chance.choice(self.known.lines or [1])

    def feed(self, chance: Random) -> int:
        """Choose a bank account."""
        return chance.choice(sorted(self.known.feeds))

    def feed_with(self, chance: Random, part: str) -> int:
        """Choose a bank account that has a draft or an anchor, if any has."""
        hub = self.send("GET", "reconciliations/accounts")["accounts"]
        return chance.choice([each["faId"] for each in hub if each[part]] or sorted(self.known.feeds))

    def learn_entries(self, answer: Any) -> None:
        """Remember the entries that an act wrote."""
        if answer is not None:
            self.known.learn(self.known.entries, *answer["result"]["journalEntryIds"])


def push(keeper: Keeper, chance: Random) -> None:
    """Push a batch: lines that are new, said before, changed, or gone."""
    fa_id, known = keeper.feed(chance), keeper.known
    said = known.said.setdefault(fa_id, [])
    batch: dict[str, Any] = {"added": [], "modified": [], "removed": []}
    for _ in range(chance.randint(1, 3)):
        kind = chance.choice(("added", "added", "modified", "removed")) if said else "added"
        name = chance.choice(said) if kind != "added" else f"N{next(known.numbers)}"
        if kind == "removed":
            batch[kind].append(name)
            continue
        known.learn(said, name)
        batch[kind].append(
            {
                "providerTransactionId": name,
                "pending": chance.choice((False, False, False, True)),
                "bookedOn": chance.choice(DAYS),
                "amount": chance.choice(AMOUNTS),
                "currency": known.feeds[fa_id],
                "description": chance.choice(TEXTS),
            }
        )
    body = {"batchId": f"batch-{next(known.numbers)}", **batch}
    answer = keeper.send("POST", f"feeds/accounts/{fa_id}/transactions", body)
    for result in answer["results"] if answer else ():
        known.learn(known.lines, result["transactionId"])


def import_file(keeper: Keeper, chance: Random) -> None:
    """Import a window of what the bank has by now, with the lines that are new."""
    fa_id, known = keeper.feed(chance), keeper.known
    stated = known.stated.setdefault(fa_id, [])
    for _ in range(chance.randint(0, 2)):
        stated.append(Line(chance.choice(DAYS), chance.choice(AMOUNTS), chance.choice(TEXTS)))
    first, last = sorted((chance.choice(DAYS), chance.choice(DAYS)))
    shown = [each for each in stated if first <= each.day <= last]
    data = bank_file(*shown, account=None, currency=known.feeds[fa_id])
    form = {"file": (io.BytesIO(data), "window.ofx"), "faId": str(fa_id)}
    answer = keeper.send("POST", "feeds/imports", data=form, content_type="multipart/form-data")
    if answer is None:
        return
    known.learn(known.imports, answer["import"]["id"])
    there = keeper.send("GET", f"transactions?faId={fa_id}&limit=200")
    known.learn(known.lines, *(each["id"] for each in there["transactions"]))


def take_back(keeper: Keeper, chance: Random) -> None:
    """Take an import back."""
    keeper.send("DELETE", f"feeds/imports/{chance.choice(keeper.known.imports or [1])}")


def edit(keeper: Keeper, chance: Random) -> None:
    """Say of a line's entry where it goes; of a posted one that is a correction."""
    known, line = keeper.known, keeper.line(chance)
    part = {"accountId": chance.choice(known.accounts), "projectId": chance.choice((None, *known.projects))}
    changes = chance.choice((part, part, {"orgMerchantId": known.merchants[0]}, {"description": "Other"}))
    keeper.send("PATCH", f"transactions/{line}", changes)


def split(keeper: Keeper, chance: Random) -> None:
    """Book a line to two accounts."""
    known, line = keeper.known, keeper.line(chance)
    found = keeper.send("GET", f"transactions/{line}")
    if found is None:
        return
    whole, first = Decimal(found["transaction"]["amount"]), Decimal(chance.choice(AMOUNTS))
    splits = [
        {
            "accountId": chance.choice(known.accounts),
            "amount": str(amount),
            "orgMerchantId": known.merchants[0],
        }
        for amount in (first, whole - first)
    ]
    keeper.send("PATCH", f"transactions/{line}", {"splits": splits})


def confirm(keeper: Keeper, chance: Random) -> None:
    """Confirm a line, or its correction."""
    keeper.learn_entries(keeper.send("POST", f"transactions/{keeper.line(chance)}/confirm", {}))


def confirm_many(keeper: Keeper, chance: Random) -> None:
    """Confirm some lines at once."""
    ids = [keeper.line(chance) for _ in range(3)]
    answer = keeper.send("POST", "transactions/confirm", {"ids": ids})
    for result in answer["results"] if answer else ():
        keeper.learn_entries(result)


def void(keeper: Keeper, chance: Random) -> None:
    """Void an entry."""
    entry = chance.choice(keeper.known.entries or [1])
    keeper.learn_entries(keeper.send("POST", f"journal-entries/{entry}/void", {"reason": "Wrong"}))


def write(keeper: Keeper, chance: Random) -> None:
    """Write an entry by hand, in one currency or in two, posted at once or not."""
    accounts = [*keeper.known.accounts, *keeper.known.bank_accounts]
    amount = Decimal(chance.choice(AMOUNTS))
    parts = chance.choice(((amount, -amount), (amount, -amount), (amount, 1 - amount, Decimal(-1))))
    currency = chance.choice(("EUR", "EUR", "USD", None))
    postings = [
        {"accountId": chance.choice(accounts), "amount": f"{part:.2f}", "currency": currency}
        for part in parts
    ]
    body = {
        "effectiveAt": chance.choice(DAYS),
        "postings": postings,
        "post": chance.choice((True, True, False)),
    }
    answer = keeper.send("POST", "journal-entries", body)
    if answer is not None:
        keeper.known.learn(keeper.known.entries, answer["entry"]["id"])


def delete(keeper: Keeper, chance: Random) -> None:
    """Take a line out."""
    keeper.send("DELETE", f"transactions/{keeper.line(chance)}")


def restore(keeper: Keeper, chance: Random) -> None:
    """Bring a line back."""
    keeper.send("POST", f"transactions/{keeper.line(chance)}/restore", {})


def join(keeper: Keeper, chance: Random) -> None:
    """Say that two lines are one, or one transfer: what is suggested, or what comes to mind."""
    line, other = keeper.line(chance), keeper.line(chance)
    found = keeper.send("GET", f"transactions/{line}/suggestions")
    if found is not None and found["suggestions"]:
        other = chance.choice(found["suggestions"])["transactionId"]
    keeper.send("POST", f"transactions/{line}/join", {"transactionId": other})


def unjoin(keeper: Keeper, chance: Random) -> None:
    """Say that what was joined belongs apart."""
    line, other = keeper.line(chance), keeper.line(chance)
    found = keeper.send("GET", f"transactions/{line}/suggestions")
    joined = [each for each in found["suggestions"] if each["status"] == "JOINED"] if found else []
    if joined:
        other = chance.choice(joined)["transactionId"]
    keeper.send("POST", f"transactions/{line}/unjoin", {"transactionId": other})


def pair(keeper: Keeper, _chance: Random) -> None:
    """Pair every transfer that is plain."""
    keeper.send("POST", "transfers/accept", {})


def open_draft(keeper: Keeper, chance: Random) -> None:
    """Open a reconciliation, or change its statement, as new or not."""
    path = f"reconciliations/accounts/{keeper.feed(chance)}"
    draft = keeper.send("GET", path)["account"]["draft"]
    body = {"statementDate": chance.choice(STATEMENT_DAYS), "statementBalance": chance.choice(AMOUNTS)}
    if chance.choice((False, False, True)):
        body |= {"keepAsNew": True, "openingBalance": "10.00", "openingDate": chance.choice(DAYS[:4])}
    keeper.send("PUT", f"{path}/draft", body | ({"version": draft["version"]} if draft else {}))


def clear(keeper: Keeper, chance: Random) -> None:
    """Clear or unclear a line of a draft."""
    body = {chance.choice(("cleared", "uncleared")): [keeper.line(chance)]}
    keeper.send("PUT", f"reconciliations/accounts/{keeper.feed(chance)}/draft/lines", body)


def complete(keeper: Keeper, chance: Random) -> None:
    """Clear all that is confirmed, state what it comes to, and complete."""
    path = f"reconciliations/accounts/{keeper.feed_with(chance, 'draft')}"
    keeper.send("PUT", f"{path}/draft/lines", {"auto": True})
    draft = keeper.send("GET", path)["account"]["draft"]
    if draft is None:
        return
    body = {
        "statementDate": draft["statementDate"],
        "statementBalance": draft["clearedBalance"],
        "keepAsNew": draft["keepAsNew"],
        "openingDate": draft["openingDate"],
        "version": draft["version"],
    }
    if draft["keepAsNew"]:
        body["openingBalance"] = draft["openingBalance"]
    keeper.send("PUT", f"{path}/draft", body)
    keeper.send("POST", f"{path}/complete", {})


def abandon(keeper: Keeper, chance: Random) -> None:
    """Let a draft go."""
    keeper.send("POST", f"reconciliations/accounts/{keeper.feed(chance)}/abandon", {})


def reopen(keeper: Keeper, chance: Random) -> None:
    """Reopen the newest proof."""
    path = f"reconciliations/accounts/{keeper.feed_with(chance, 'anchor')}"
    keeper.send("POST", f"{path}/reopen", {"reason": "Wrong"})


def accept(keeper: Keeper, chance: Random) -> None:
    """Accept what broke a proof."""
    path = f"reconciliations/accounts/{keeper.feed_with(chance, 'anchor')}"
    anchor = keeper.send("GET", path)["account"]["anchor"]
    keeper.send("POST", f"{path}/accept", {"reconciliationId": anchor["id"] if anchor else 1})


def lock(keeper: Keeper, chance: Random) -> None:
    """Close the books up to a day, or open them."""
    body = {
        "lockDate": chance.choice(LOCKS),
        "moveDrafts": chance.choice((True, True, False)),
        "reason": "Why not",
    }
    keeper.send("PUT", "lock-date", body)


def quote(keeper: Keeper, chance: Random) -> None:
    """Write a rate down."""
    rate = {
        "day": chance.choice(DAYS),
        "currency": "USD",
        "unitsPerBase": chance.choice(("0.9", "1.1", "1.0842")),
    }
    keeper.send("PUT", "exchange-rates", {"rates": [rate]})


def exchange_type(keeper: Keeper, chance: Random) -> None:
    """Say that a bank account is a debt, or that it is not."""
    account = chance.choice(keeper.known.bank_accounts)
    keeper.send("PATCH", f"accounts/{account}", {"type": chance.choice(("ASSET", "LIABILITY"))})


ACTS = {
    each.__name__: each
    for each in (
        *(push, import_file, take_back, edit, split, confirm, confirm_many, void, write, delete, restore),
        *(
            join,
            unjoin,
            pair,
            open_draft,
            clear,
            complete,
            abandon,
            reopen,
            accept,
            lock,
            quote,
            exchange_type,
        ),
    )
}
# How often each is done: what fills the books more often than what empties them.
OFTEN = ("push", "confirm", "write", "complete")
NAMES = (*OFTEN * 3, "import_file", "edit", "void", "open_draft", "confirm_many", *sorted(ACTS))
