"""The books told again by nothing but their public entries: what every figure of the product is held against."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNTS = ("POSTED", "VOIDED")


def everything(person: Any, path: str, key: str) -> list[dict[str, Any]]:
    """Read a list of the API to its end."""
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        join = "&" if "?" in path else "?"
        page = person.get(f"/api/{path}{join}limit=200" + (f"&cursor={cursor}" if cursor else "")).json
        found += page[key]
        cursor = page["nextCursor"]
        if cursor is None:
            return found


@dataclass
class Replay:
    """All entries of somebody's books, as the API gives them."""

    entries: Sequence[dict[str, Any]]
    moves: dict[int, list[tuple[str, str, Decimal, Decimal]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def __post_init__(self) -> None:
        for entry in self.counting:
            for leg in entry["postings"]:
                day = entry["effectiveAt"][:10]
                move = (day, leg["currency"], Decimal(leg["amount"]), Decimal(leg["amountBase"]))
                self.moves[leg["accountId"]].append(move)

    @classmethod
    def of(cls, person: Any) -> Replay:
        return cls(everything(person, "journal-entries", "entries"))

    @property
    def counting(self) -> list[dict[str, Any]]:
        """The entries that balances sum: posted, and voided ones beside what voids them."""
        return [entry for entry in self.entries if entry["status"] in COUNTS]

    def unbalanced(self) -> list[int]:
        """Find the entries that do not add up to 0 in the base currency, or in the only currency that they have."""
        return [entry["id"] for entry in self.counting if not _balances(entry["postings"])]

    def base(self, account_id: int, day: str = "9999-12-31") -> Decimal:
        """Give what an account holds in the base currency at the close of a day."""
        return sum((base for on, _, _, base in self.moves[account_id] if on <= day), Decimal(0))

    def amount(self, account_id: int, currency: str, day: str = "9999-12-31") -> Decimal:
        """Give what an account holds in one currency at the close of a day."""
        return sum(
            (amount for on, of, amount, _ in self.moves[account_id] if on <= day and of == currency),
            Decimal(0),
        )


def _balances(legs: Sequence[dict[str, Any]]) -> bool:
    sums: Counter[str] = Counter()
    for leg in legs:
        sums[leg["currency"]] += Decimal(leg["amount"])  # type: ignore[assignment]
    in_base = sum(Decimal(leg["amountBase"]) for leg in legs)
    return len(legs) > 1 and in_base == 0 and (len(sums) > 1 or not any(sums.values()))


def differences(person: Any, replay: Replay, pairs: Sequence[tuple[dict[str, Any], str]]) -> list[object]:
    """Compare every balance of the chart, and those of some accounts at some days, with a replay."""
    wrong: list[object] = []
    for account in everything(person, "accounts?archived=false", "accounts"):
        _compare(wrong, "accounts", account, replay, "9999-12-31")
    for account, day in pairs:
        answer = person.get(f"/api/accounts/{account['id']}?asOf={day}").json["account"]
        _compare(wrong, f"accounts as of {day}", answer, replay, day)
    hub = person.get("/api/reconciliations/accounts").json
    return wrong + [
        ("hub", watched)
        for watched in hub["watched"]
        if Decimal(watched["balanceBase"]) != replay.base(watched["accountId"])
    ]


def report_differences(person: Any, replay: Replay, first: str, last: str) -> list[object]:
    """Compare the trial balance of a period with a replay, account by account and as a whole."""
    answer = person.get(f"/api/reports/trial-balance?from={first}&to={last}").json["trialBalance"]
    shown = {line["accountId"]: line for line in answer["lines"]}
    wrong: list[object] = []
    for account_id in {*shown, *replay.moves}:
        closing = replay.base(account_id, last)
        change = sum((base for on, _, _, base in replay.moves[account_id] if first <= on <= last), Decimal(0))
        line = shown.get(account_id, {"closing": "0", "change": "0"})
        if (Decimal(line["closing"]), Decimal(line["change"])) != (closing, change):
            wrong.append(("trial balance", line, closing, change))
    if answer["debit"] != answer["credit"]:
        wrong.append(("trial balance", answer["debit"], answer["credit"]))
    return wrong


def _compare(wrong: list[object], where: str, account: dict[str, Any], replay: Replay, day: str) -> None:
    base = replay.base(account["id"], day)
    own = replay.amount(account["id"], account["currency"], day) if account["currency"] else base
    if (Decimal(account["balance"]), Decimal(account["balanceBase"])) != (own, base):
        wrong.append((where, account["name"], account["balance"], account["balanceBase"], own, base))
