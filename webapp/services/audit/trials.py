"""Trial runs: a call made in a savepoint and taken back, with its result and all that it changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from webapp.database.sessions import db
from webapp.ledger import titles
from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.ledger.errors import LedgerError
from webapp.ledger.references import Kind, Ref, ReferringDigest
from webapp.queries.effects import books
from webapp.queries.effects.books import NO_EFFECT, BalanceChange, ProofChange
from webapp.queries.items import items
from webapp.queries.items.settlements import SOURCE as SETTLED
from webapp.queries.journal.entry_records import EntryRecord
from webapp.services.audit.act import Act
from webapp.services.audit.action_requests import recording, title_of, unrecorded
from webapp.services.storage.savepoints import trial

Json = dict[str, Any]

REFUSED_BY_STATE: Final = 409
# A long file makes thousands of drafts; their number, the balances and the first of them say what it does.
MOST_SHOWN = 200
# What is another one each time that the same thing is done.
VOLATILE: Final = frozenset({"actionRequestId", "requestId", "version", "digest", "previousDigest"})
# Of a balance counts what is added to it: others may post beside the proposal.
LASTING_OF_BALANCES: Final = ("accountId", "currency", "change", "changeBase")
# What proposals share that have nothing to do with each other, and what two of them cannot both do something with.
SHARED: Final = frozenset({Kind.FEED_ACCOUNT})
TOLD_APART: Final = frozenset({Kind.TRANSACTION, Kind.JOURNAL_ENTRY, Kind.POSTING})
NONE_SEEN: Final[Mapping[int, Json | None]] = {}
# What sentences call by its number, which a trial takes anew each time.
NUMBERED_KINDS: Final = {"item": Kind.POSTING, "settlement": Kind.SETTLEMENT}
NUMBERED: Final = re.compile(r"\b(item|settlement) (\d{1,18})\b")
# In an effect as well as in an answer; there it is about the effect, and no part of it.
WARNINGS: Final = "warnings"
# The rows that a proposal is about, by which it is known to others: in its kept effect, and no part of what it does.
TOUCHES: Final = "touches"


@dataclass(frozen=True, slots=True)
class CallResult:
    """What a call was answered: its body is JSON with references; `failures` are the items that it refused."""

    status: int
    body: Any
    failures: Sequence[Json] = ()


class Shapes(Protocol):
    """How the interface writes what a trial finds, as JSON with references."""

    def entry(self, record: EntryRecord) -> Json:
        """Write a journal entry."""
        ...

    def balances(self, changes: Sequence[BalanceChange]) -> list[Json]:
        """Write what accounts hold before and after."""
        ...

    def proofs(self, changes: Sequence[ProofChange]) -> list[Json]:
        """Write proofs that break or hold again."""
        ...


@dataclass(frozen=True, slots=True)
class Trial:
    """What a call would answer and change; `refusal` is the state of the books that stands against it.

    `acts` are those that would be executed, `refused_act` the first that a rule refuses. The result and the effect
    call new rows `new-1`, `new-2`, …. `rest` is the digest of what the effect is too short to hold, where it is.
    """

    effect: Mapping[str, Any]
    acts: Sequence[Act]
    result: CallResult | None = None
    refusal: LedgerError | None = None
    refused_act: Act | None = None
    rest: str | None = None

    @property
    def digest(self) -> str:
        """Give the SHA-256 of what it would do, the same for the same effect."""
        code = None if self.refusal is None else self.refusal.code
        whole = {"v": 1, "refused": code, "effect": _lasting_effect(self.effect), "answers": self.failures}
        if self.rest is not None:
            whole["rest"] = self.rest
        return sha256_hex(canonical_json(whole))

    @property
    def asked(self) -> Sequence[Act]:
        """The acts that the call comes to, else the one that is refused."""
        return self.acts or ([self.refused_act] if self.refused_act else [])

    @property
    def title(self) -> str:
        """Say in one title what it would do; nothing where it comes to no act."""
        acts = [title_of(each) for each in self.asked]
        return titles.of_several(acts) if acts else ""

    @property
    def failures(self) -> list[Json]:
        """List what a bulk call would refuse of what it was asked for."""
        return [] if self.result is None else list(self.result.failures)

    @property
    def is_one_act(self) -> bool:
        """Whether it comes to one act, which a proposal of it becomes."""
        return len(self.acts) == 1 and not self.failures

    @property
    def is_plan(self) -> bool:
        """Whether it is of a plan, whose refused step refuses it."""
        return False

    def moved_step(self, kept: Mapping[str, Any]) -> int | None:
        """Give the number of a plan's first step that differs from a kept effect; None for any other call."""
        del kept
        return None

    @property
    def blockers(self) -> list[Json]:
        """List what stands against the call, each with its code and its sentence."""
        if self.refusal is None:
            return self.failures
        blocker: Json = {"code": self.refusal.code, "message": str(self.refusal)}
        return [{**blocker, "details": dict(self.refusal.details)} if self.refusal.details else blocker]


def run(organization_id: str, call: Callable[[], CallResult], shapes: Shapes) -> Trial:
    """Try a call in the open transaction, which writes; the books are as before when this returns.

    What the state of the books refuses (409) is part of the trial; every other refusal is raised, and not recorded.
    """
    before = books.mark(organization_id)
    with trial(), recording() as recorded:
        try:
            result = call()
        except LedgerError as error:
            refused = unrecorded(error)
            if error.status != REFUSED_BY_STATE:
                raise
            return Trial(NO_EFFECT, (), refusal=error, refused_act=refused)
        observed = Observed(
            organization_id, before, shapes, [act for act, status in recorded if status == "EXECUTED"]
        )
        observed.read_after()
        failed = next((act for act, status in recorded if status == "FAILED"), None)
    observed.read_before()
    names = NewNames(before.newest, {act.id for act, _ in recorded})
    effect = observed.effect(names) | {
        WARNINGS: warnings_of(result.body),
        TOUCHES: names.touched(observed.acts),
    }
    result = CallResult(result.status, names.written(result.body), result.failures)
    return Trial(effect, observed.acts, result, refused_act=failed, rest=observed.rest(names))


def watched(
    organization_id: str, call: Callable[[], CallResult], shapes: Shapes
) -> tuple[CallResult, Json, list[Act]]:
    """Make a call for good; answers its result, its effect without its entries, and its acts.

    Balances are read where a transaction is open before: a call that opens its own makes drafts only.
    """
    before = books.mark(organization_id) if db.session().in_transaction() else None
    with recording() as recorded:
        result = call()
    acts = [act for act, status in recorded if status == "EXECUTED"]
    titled = [{"title": title_of(each)} for each in acts]
    effect: Json = {**NO_EFFECT, "acts": titled, WARNINGS: warnings_of(result.body)}
    if before is not None and acts:
        observed = Observed(organization_id, before, shapes, acts)
        observed.read_sums()
        count = len(observed.read_ids())
        effect |= {"entryCount": count, "balances": observed.balances, "proofs": observed.proofs}
    return result, effect, acts


@dataclass(slots=True)
class Observed:
    """What acts changed: read within the trial as it is after them, and behind it as it was before."""

    organization_id: str
    mark: books.Mark
    shapes: Shapes
    acts: list[Act]
    ids: set[int] = field(default_factory=set)
    balances: list[Json] = field(default_factory=list)
    proofs: list[Json] = field(default_factory=list)
    before: dict[int, Json] = field(default_factory=dict)
    after: dict[int, Json] = field(default_factory=dict)
    unseen: list[Json] = field(default_factory=list)

    @property
    def unseen_count(self) -> int:
        """How many entries are too many to be read whole."""
        return max(len(self.ids) - MOST_SHOWN, 0)

    def read_ids(self) -> set[int]:
        """Read which entries the acts are about."""
        self.ids = self._entry_ids()
        return self.ids

    def read_after(self) -> None:
        """Read what the acts left behind."""
        self.read_ids()
        self.read_sums()
        self.after = self._entries()

    def read_sums(self) -> None:
        """Read the balances and proofs that the acts left behind."""
        self.balances = self.shapes.balances(books.balances(self.organization_id, self.mark.sums))
        self.proofs = self.shapes.proofs(books.proofs(self.organization_id, [act.id for act in self.acts]))

    def read_before(self, seen: Mapping[int, Json | None] = NONE_SEEN) -> None:
        """Read what the acts found; what they took away belongs to it.

        `seen` are entries as earlier steps of the same plan left them; None stands for one that they took away.
        """
        named = {int(ref) for ref in self._named() if ref.kind is Kind.JOURNAL_ENTRY}
        self.ids |= self._entry_ids() | (named & seen.keys())
        self.before = self._entries()
        for entry_id in self.ids & seen.keys():
            state = seen[entry_id]
            self.before.pop(entry_id, None)
            if state is not None:
                self.before[entry_id] = state

    def _named(self) -> list[Ref]:
        return [ref for act in self.acts for ref in act.references]

    def _entry_ids(self) -> set[int]:
        return books.entry_ids(self.organization_id, self._named(), self.mark.newest)

    def _entries(self) -> dict[int, Json]:
        ids = sorted(self.ids)
        self.unseen += books.entry_facts(self.organization_id, ids[MOST_SHOWN:])
        shown = books.entries(self.organization_id, ids[:MOST_SHOWN])
        return {entry_id: self.shapes.entry(record) for entry_id, record in shown.items()}

    def effect(self, names: NewNames) -> Json:
        """Write what is different."""
        acts = [_written(act, names) for act in self.acts[:MOST_SHOWN]]
        moved = [
            {
                "id": Ref(Kind.JOURNAL_ENTRY, each),
                "before": self.before.get(each),
                "after": self.after.get(each),
            }
            for each in sorted({*self.before, *self.after})
            if self.before.get(each) != self.after.get(each)
        ]
        return {
            "acts": acts,
            "entries": [_named_entry(each, names) for each in moved[:MOST_SHOWN]],
            "entryCount": len(moved) + self.unseen_count,
            "balances": names.written(self.balances),
            "proofs": names.written(self.proofs),
        }

    def rest(self, names: NewNames) -> str | None:
        """Give the digest of the acts and entries that the effect has no room for; None where it has them all."""
        acts = [_written(act, names) for act in self.acts[MOST_SHOWN:]]
        if not acts and not self.unseen:
            return None
        facts = [
            {**each, "description": names.worded(each["description"])} for each in names.written(self.unseen)
        ]
        return sha256_hex(canonical_json(_lasting([*_without_notes(acts), *facts])))


def _named_entry(moved: Json, names: NewNames) -> Json:
    """Write a moved entry; the text of one that a settlement causes has the number of that."""
    written: Json = names.written(moved)
    for state in (written["before"], written["after"]):
        if state is not None and state["source"] == SETTLED:
            state["description"] = state["origin"]["label"] = names.worded(state["description"])
    return written


def _written(act: Act, names: NewNames) -> Json:
    target = act.target
    return {
        "kind": act.kind,
        "target": {
            "kind": act.target_kind,
            "id": act.target_id if target is None else str(names.name(target)),
        },
        "title": names.worded(titles.proposed(title_of(act))),
        "note": act.note,
        "before": names.written(act.before),
        "after": names.written(act.after),
    }


def _lasting_effect(effect: Mapping[str, Any]) -> Json:
    balances = [{key: each[key] for key in LASTING_OF_BALANCES} for each in effect["balances"]]
    lasting = _lasting({key: value for key, value in effect.items() if key not in {WARNINGS, TOUCHES}})
    return {**lasting, "acts": _lasting(_without_notes(effect["acts"])), "balances": balances}


def _without_notes(acts: Sequence[Json]) -> list[Json]:
    """Leave out why acts are done: the same call in other words is the same effect."""
    return [{**act, "note": ""} for act in acts]


def _lasting(value: Any) -> Any:
    """Leave out what differs each time."""
    if isinstance(value, Mapping):
        return {key: _lasting(inner) for key, inner in _lasting_members(value)}
    return [_lasting(each) for each in value] if isinstance(value, list) else value


def _lasting_members(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        if key not in VOLATILE and not (key.endswith("At") and key != "effectiveAt"):
            yield key, inner


def warnings_of(answer: Any) -> list[str]:
    """List the sentences with which a call's answer warns, as a whole or of a record in it.

    >>> warnings_of({"import": {"warnings": ["One"]}, "results": [{"warnings": [{"code": "two", "message": "Two"}]}]})
    ['One', 'Two']
    """
    if isinstance(answer, list):
        return [sentence for each in answer for sentence in warnings_of(each)]
    if not isinstance(answer, Mapping):
        return []
    own = [each if isinstance(each, str) else each["message"] for each in answer.get(WARNINGS) or ()]
    inner = warnings_of([inner for key, inner in answer.items() if key != WARNINGS])
    return list(dict.fromkeys([*own, *inner]))


class NewNames:
    """Gives rows that came after a mark their names, the same row always the same one.

    New acts have no name: their ids are left empty.
    """

    def __init__(self, newest: Mapping[str, int], act_ids: Collection[str]) -> None:
        """Take the newest id of each table at the mark, and the ids of the acts since."""
        self._newest = newest
        self._act_ids = act_ids
        self._names: dict[tuple[str, int], str] = {}

    def name(self, ref: Ref) -> int | str:
        """Name a row: a new one by its name, any other by its id."""
        if ref <= self._newest.get(ref.kind.table, 0):
            return int(ref)
        return self._names.setdefault((ref.kind.table, int(ref)), f"new-{len(self._names) + 1}")

    def worded(self, text: str) -> str:
        """Write a sentence of ours with these names in the places of the numbers of new items and settlements."""
        return NUMBERED.sub(
            lambda found: f"{found[1]} {self.name(Ref(NUMBERED_KINDS[found[1]], int(found[2])))}", text
        )

    def touched(self, acts: Sequence[Act]) -> list[str]:
        """Name the rows of the books that acts are about and that were there before, as `kind:id`.

        Who changes an entry changes its open items.
        """
        targets = [each for act in acts if (each := act.target) is not None and each.kind not in SHARED]
        targets += [
            Ref(Kind.POSTING, item.id)
            for act in acts
            if act.target_kind == Kind.JOURNAL_ENTRY and act.target is not None
            for item in items.of_entry(act.actor.organization_id, act.target)
        ]
        named = [each for act in acts for each in act.references if each.kind in TOLD_APART]
        there = (each for each in (*targets, *named) if isinstance(self.name(each), int))
        return sorted({f"{each.kind}:{int(each)}" for each in there})

    def written(self, value: Any) -> Any:
        """Write a JSON value with these names in the places of references to new rows."""
        if isinstance(value, Ref):
            return self.name(value)
        if isinstance(value, ReferringDigest):
            return str(ReferringDigest(self.written(value.value)))
        if isinstance(value, Mapping):
            return {key: self.written(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.written(each) for each in value]
        return None if isinstance(value, str) and value in self._act_ids else value
