"""Documents of closes: what a close freezes, added up again, and compared with the books of a later day."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.ledger.chart import AccountType
from webapp.ledger.money import Money
from webapp.ledger.open_items.ageing import AGE_WORDS

Document = Mapping[str, Any]
# What a reader of statements sees of an account; a change of it moves figures and no posting.
PRESENTED: Final = ("type", "inScope", "group")
SIDES: Final = {"ASSET": "assets", "LIABILITY": "liabilities", "EQUITY": "equity"}


class CloseVerdict(StrEnum):
    """Whether the figures of a close are still those of the books, and are shown as they were."""

    HOLDS = "HOLDS"
    PRESENTED_DIFFERENTLY = "PRESENTED_DIFFERENTLY"
    CHANGED = "CHANGED"


@dataclass(frozen=True, slots=True)
class FigureMove:
    """A figure of a close as it was frozen, and as the books have it now."""

    figure: str
    frozen: str
    now: str


@dataclass(frozen=True, slots=True)
class ChangedAccount:
    """An account that is shown, or stands, differently from what a close froze."""

    account_id: int
    name: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a close, the figures that differ, the accounts, and the proofs that do not hold any more."""

    verdict: CloseVerdict
    moved: Sequence[FigureMove]
    accounts: Sequence[ChangedAccount]
    proofs: Sequence[int]


def digest(document: Document) -> str:
    """Return the SHA-256 of a document's canonical JSON, in lower-case hex."""
    return sha256_hex(canonical_json(dict(document)))


def totals(rows: Iterable[Mapping[str, Any]], base: str) -> dict[str, str]:
    """Add up the rows of a trial balance as statements present them; a profit is above zero.

    >>> rows = [{"type": "INCOME", "inScope": True, "closing": "-1100.00"}]
    >>> rows += [{"type": "EXPENSE", "inScope": scope, "closing": "300.00"} for scope in (True, False)]
    >>> totals(rows, "EUR")["result"]
    '800.00'
    """
    found = dict.fromkeys(("result", *SIDES.values()), Money.zero(base))
    for row in rows:
        amount = Money.of(row["closing"], base)
        if row["type"] in SIDES:
            found[SIDES[row["type"]]] += amount
        elif row["inScope"] and row["type"] in (AccountType.INCOME, AccountType.EXPENSE):
            found["result"] -= amount
    return {name: str(amount) for name, amount in found.items()}


def compare(frozen: Document, now: Document) -> Judgement:
    """Compare what a close has frozen with the same figures of the books now.

    A month is judged without the adjusting entries of its year, the last month of a year with them.
    """
    which, base = "WITH" if frozen["isYearEnd"] else "WITHOUT", frozen["baseCurrency"]
    before, after = frozen["trialBalance"][which], now["trialBalance"][which]
    accounts, stands = _accounts(before, after)
    sums, sums_now = totals(before, base), totals(after, base)
    moved = [FigureMove(name, sums[name], sums_now[name]) for name in sums if sums[name] != sums_now[name]]
    aged = _moved_owed(frozen["aged"], now["aged"], base, by_party=False)
    parties = _moved_owed(frozen["aged"], now["aged"], base, by_party=True)
    gone = _gone(frozen["proofs"], now["proofs"])
    revalued = frozen["revaluation"] != now["revaluation"]
    if revalued:
        moved.append(
            FigureMove("revaluation", *(each["revaluation"]["difference"] for each in (frozen, now)))
        )
    verdict = CloseVerdict.HOLDS
    if accounts or parties:
        verdict = CloseVerdict.PRESENTED_DIFFERENTLY
    if stands or aged or gone or revalued:
        verdict = CloseVerdict.CHANGED
    return Judgement(verdict, [*moved, *stands, *(aged or parties)], accounts, gone)


def _accounts(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]
) -> tuple[list[ChangedAccount], list[FigureMove]]:
    """Find the accounts that are shown or stand differently, and the figures of those that stand so."""
    was, now = ({row["accountId"]: row for row in rows if row["accountId"]} for rows in (before, after))
    changed, stands = [], []
    for key in {**was, **now}:
        old, new = was.get(key), now.get(key)
        name = str((new or old or {})["name"])
        # An older document lacks what was not frozen then.
        is_shown = old and new and any(each in old and old[each] != new[each] for each in PRESENTED)
        closing, closing_now = (each["closing"] if each else "0" for each in (old, new))
        if closing != closing_now:
            stands.append(FigureMove(name, closing, closing_now))
        if is_shown or closing != closing_now:
            changed.append(ChangedAccount(key, name))
    return changed, stands


def _moved_owed(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]], base: str, *, by_party: bool
) -> list[FigureMove]:
    """Find what is owed that differs, by side and currency, or by party as well."""
    was, now = (_owed(rows, by_party=by_party) for rows in (before, after))
    nothing = str(Money.zero(base))
    return [
        FigureMove(name, was.get(name, nothing), now.get(name, nothing))
        for name in {**was, **now}
        if was.get(name) != now.get(name)
    ]


def _owed(rows: Sequence[Mapping[str, Any]], *, by_party: bool) -> dict[str, str]:
    found: dict[str, Money] = {}
    for row in rows:
        name = f"{row['side'].lower()} of {row['party'] or 'nobody'}" if by_party else row["side"].lower()
        for age, amount in row["ages"].items():
            money = Money.of(amount, row["currency"])
            key = f"{name}, {AGE_WORDS[age]}, {row['currency']}"
            found[key] = found.get(key, Money.zero(row["currency"])) + money
    return {key: str(amount) for key, amount in found.items() if amount}


def _gone(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> list[int]:
    """Name the proofs that were reopened, or do not hold any more."""
    standing = {row["digest"] for row in after if row["holds"]}
    return [row["reconciliationId"] for row in before if row["holds"] and row["digest"] not in standing]


def is_document(record: object) -> bool:
    """Return whether a record is the document of a close with its digest, as the interface answers it."""
    document = record.get("document") if isinstance(record, dict) else None
    needed = ("period", "baseCurrency", "trialBalance", "totals", "cutOff")
    return isinstance(document, dict) and all(name in document for name in needed) and "digest" in record  # type: ignore[operator]


def faults(document: Document, stated: str) -> Iterator[tuple[str, str]]:
    """Find what is wrong with a saved document: its digest, and sums that its rows do not come to."""
    name = f"The close of {document['period']}"
    if digest(document) != stated:
        yield "digest", f"{name} does not match its digest."
    base = document["baseCurrency"]
    for which, rows in document["trialBalance"].items():
        left = sum((Money.of(row["closing"], base) for row in rows), Money.zero(base))
        if left:
            yield (
                "trial_balance",
                f"The trial balance {which} of {name[0].lower()}{name[1:]} is off by {left}.",
            )
        if document["totals"][which] != totals(rows, base):
            yield "totals", f"{name} states totals that its rows do not come to."
    rows = document["cutOff"]["rows"]
    if Money.of(document["cutOff"]["sum"], base) != sum(
        (Money.of(row["amount"], base) for row in rows), Money.zero(base)
    ):
        yield "cut_off", f"The cut-off of {name[0].lower()}{name[1:]} does not add up."
