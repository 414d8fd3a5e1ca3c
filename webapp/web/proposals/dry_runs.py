"""Trial runs: a call of the API done in a savepoint, told with its answer and all that it changes, and taken back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flask import Response, current_app, request

from webapp.ledger import titles
from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.ledger.errors import LedgerError
from webapp.queries.effects import books, entries
from webapp.schemas.audit.effects import BalanceChangeSchema, ProofChangeSchema
from webapp.schemas.bookkeeping.journal_entries import JournalEntrySchema
from webapp.services.audit.act import Act
from webapp.services.audit.action_requests import facts_of, recording
from webapp.services.storage.savepoints import trial

REFUSED_BY_STATE = 409
# A long file makes thousands of drafts; their number, the balances and the first of them say what it does.
MOST_SHOWN = 200
# What is another one each time that the same thing is done.
VOLATILE = frozenset({"actionRequestId", "requestId", "version", "digest", "previousDigest"})
NOTHING: Mapping[str, Any] = {"acts": [], "entries": [], "entryCount": 0, "balances": [], "proofs": []}


@dataclass(frozen=True, slots=True)
class Trial:
    """What a call would answer and change; `refusal` is the state of the books that stands against it.

    `acts` are those that would be executed, `refused_act` the first that a rule refuses. The answer and the effect
    call new rows `new-1`, `new-2`, …. Where the effect does not tell everything, `rest` says in one word what it
    leaves out.
    """

    status: int
    answer: Any
    effect: Mapping[str, Any]
    acts: Sequence[Act]
    refusal: LedgerError | None = None
    refused_act: Act | None = None
    rest: str | None = None

    @property
    def digest(self) -> str:
        """Say in one word what it would do, so that the same effect has the same word."""
        refused = None if self.refusal is None else self.refusal.code
        told = {"v": 1, "refused": refused, "effect": lasting(self.effect), "answers": self.failures}
        if self.rest is not None:
            told["rest"] = self.rest
        return sha256_hex(canonical_json(told))

    @property
    def failures(self) -> list[dict[str, Any]]:
        """List what a bulk act would refuse of what it was asked for."""
        results = self.answer.get("results") if isinstance(self.answer, dict) else None
        if not isinstance(results, list):
            return []
        failed = [each for each in results if isinstance(each, dict) and each.get("status") == "FAILED"]
        return [{"id": each.get("id"), "code": each.get("code"), "message": each["error"]} for each in failed]

    @property
    def blockers(self) -> list[dict[str, Any]]:
        """List what stands against the call, each with its code and its sentence."""
        if self.refusal is not None:
            told = {"code": self.refusal.code, "message": str(self.refusal)}
            return [{**told, "details": dict(self.refusal.details)} if self.refusal.details else told]
        return self.failures


def run(organization_id: str, call: Callable[[], Any]) -> Trial:
    """Try a call in the open transaction, which writes; the books are as before when this returns.

    What the state of the books refuses (409) is told; every other refusal is raised, and recorded nowhere.
    """
    before = books.mark(organization_id)
    with trial(), recording() as recorded:
        try:
            response = to_response(call())
        except LedgerError as error:
            refused = unrecorded(error)
            if error.status != REFUSED_BY_STATE:
                raise
            return Trial(error.status, refusal_body(error), NOTHING, (), error, refused)
        taken = _Taken(organization_id, before, [done for done, status in recorded if status == "EXECUTED"])
        taken.after()
        answer = response.get_json(silent=True)
        failed = next((done for done, status in recorded if status == "FAILED"), None)
    taken.before()
    names = NewNames(before.newest, {done.id for done, _ in recorded})
    effect = names.given(taken.effect())
    told = names.given(answer)
    return Trial(response.status_code, told, effect, taken.acts, refused_act=failed, rest=taken.rest(names))


def to_response(said: Any) -> Response:
    """Make what a view gives back the response that it stands for."""
    return current_app.make_response(said)


def call_view() -> Any:
    """Call the view that the request is for."""
    view: Any = current_app.view_functions[request.endpoint or ""]
    return view(**(request.view_args or {}))


def unrecorded(error: LedgerError) -> Act | None:
    """Take an error's act from it, so that nobody writes it down as a refused one."""
    refused: Act | None = getattr(error, "act", None)
    error.act = None  # type: ignore[attr-defined]
    return refused


def refusal_body(error: LedgerError) -> dict[str, Any]:
    """Give the body that a refusal is answered with."""
    body: dict[str, Any] = {"error": str(error), "code": error.code}
    return body | {key: value for key in ("fields", "details") if (value := getattr(error, key))}


@dataclass(slots=True)
class _Taken:
    """What is taken down of a trial: within it how things stand then, after it how they stood."""

    organization_id: str
    mark: books.Mark
    acts: list[Act]
    ids: set[int] = field(default_factory=set)
    told: dict[str, Any] = field(default_factory=dict)
    stood: dict[int, Any] = field(default_factory=dict)
    stand: dict[int, Any] = field(default_factory=dict)
    unseen: list[dict[str, Any]] = field(default_factory=list)

    def after(self) -> None:
        """Read what the acts left behind."""
        named = books.named([_said(act) for act in self.acts])
        self.ids = books.entry_ids(self.organization_id, named, self.mark.newest)
        self.told = {
            "acts": [_act(act) for act in self.acts[:MOST_SHOWN]],
            "balances": BalanceChangeSchema(many=True).dump(
                books.balances(self.organization_id, self.mark.sums)
            ),
            "proofs": ProofChangeSchema(many=True).dump(
                books.proofs(self.organization_id, [act.id for act in self.acts])
            ),
        }
        self.stand = self._read()

    def before(self) -> None:
        """Read what the acts found; what they took away belongs to it."""
        named = books.named([_said(act) for act in self.acts])
        self.ids |= books.entry_ids(self.organization_id, named, self.mark.newest)
        self.stood = self._read()

    def _read(self) -> dict[int, Any]:
        ids = sorted(self.ids)
        self.unseen += entries.facts(self.organization_id, ids[MOST_SHOWN:])
        shown = books.entries(self.organization_id, ids[:MOST_SHOWN])
        return {entry_id: JournalEntrySchema().dump(record) for entry_id, record in shown.items()}

    def effect(self) -> dict[str, Any]:
        """Tell what is different, entries by their ids."""
        moved = [
            {"id": each, "before": self.stood.get(each), "after": self.stand.get(each)}
            for each in sorted({*self.stood, *self.stand})
            if self.stood.get(each) != self.stand.get(each)
        ]
        unseen = max(len(self.ids) - MOST_SHOWN, 0)
        return {
            "acts": self.told["acts"],
            "entries": moved[:MOST_SHOWN],
            "entryCount": len(moved) + unseen,
            "balances": self.told["balances"],
            "proofs": self.told["proofs"],
        }

    def rest(self, names: NewNames) -> str | None:
        """Say in one word what is told of no act and no entry, that it cannot change unseen; None where all is told."""
        acts = [_act(act) for act in self.acts[MOST_SHOWN:]]
        if not acts and not self.unseen:
            return None
        return sha256_hex(canonical_json(lasting([names.given(each) for each in (*acts, *self.unseen)])))


def _said(act: Act) -> dict[str, Any]:
    """Give all that an act names, its target by the name of its kind."""
    told = {key: getattr(act, key) for key in ("payload", "before", "after", "result")}
    return {**told, f"{act.target_kind}Id": _number(act.target_id)}


def _act(act: Act) -> dict[str, Any]:
    return {
        "kind": act.kind,
        "target": {"kind": act.target_kind, "id": _number(act.target_id)},
        "title": titles.proposed(facts_of(act)["title"]),
        "note": act.note,
        "before": act.before,
        "after": act.after,
    }


def _number(target_id: str) -> int | str:
    return int(target_id) if target_id.isdecimal() and target_id.isascii() else target_id


class NewNames:
    """Gives rows that came after a mark the names `new-1`, `new-2`, …, the same row always the same one.

    New acts have no name: their ids are left empty.
    """

    def __init__(self, newest: Mapping[str, int], act_ids: Collection[str]) -> None:
        """Take the newest id of each table at the mark, and the ids of the acts since."""
        self._newest = newest
        self._acts = act_ids
        self._names: dict[tuple[str, int], str] = {}

    def given(self, value: Any, holder: str | None = None) -> Any:
        """Write a JSON value with these names in the place of new ids; `holder` is the key that it stands under."""
        if isinstance(value, Mapping):
            if holder == "target":
                return {"kind": value["kind"], "id": str(self._under("id", value["id"], value["kind"]))}
            return {key: self._under(key, inner, holder) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.given(each, holder) for each in value]
        return None if isinstance(value, str) and value in self._acts else value

    def _under(self, key: str, value: Any, holder: str | None) -> Any:
        if key == "entries" and isinstance(value, Mapping):
            # Acts on two lines say of each line, by its id, which entry it has.
            return {line: self._name("journal_entries", each) for line, each in value.items()}
        if key == "entries" or (holder == "entry" and key in ("before", "after")):
            return self.given(value, "entry")
        table = books.table_of(key, holder)
        if table is None:
            return self.given(value, key)
        return (
            [self._name(table, each) for each in value]
            if isinstance(value, list)
            else self._name(table, value)
        )

    def _name(self, table: str, row_id: Any) -> Any:
        if type(row_id) is not int or row_id <= self._newest.get(table, 0):
            return row_id
        return self._names.setdefault((table, row_id), f"new-{len(self._names) + 1}")


def lasting(value: Any) -> Any:
    """Leave out what differs each time, and of balances all but the change: others may post beside it."""
    if isinstance(value, Mapping):
        if "changeBase" in value:
            return {key: value[key] for key in ("accountId", "currency", "change", "changeBase")}
        return {key: lasting(inner) for key, inner in _told(value)}
    return [lasting(each) for each in value] if isinstance(value, list) else value


def _told(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        if key not in VOLATILE and not (key.endswith("At") and key != "effectiveAt"):
            yield key, inner
