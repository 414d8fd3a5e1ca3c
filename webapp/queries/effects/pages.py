"""What a page shows of a proposal: its entries now and after with debit and credit, its balances, proofs and acts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final
from urllib.parse import parse_qsl

from webapp.ledger.money import Money
from webapp.ledger.scopes import GRAVE_KINDS
from webapp.models import Account, ActionRequest, Proposal
from webapp.queries.audit import field_changes, proposals
from webapp.queries.audit.field_changes import Change
from webapp.queries.audit.proposals import Neighbour
from webapp.queries.common import lookups
from webapp.queries.effects import summaries
from webapp.queries.journal import entries as journal_entries
from webapp.queries.rules import names
from webapp.queries.rules.names import Names

NAMED: Final = ("orgMerchantId", "projectId")
# What acts on these change is what their entries show, but for what no entry has.
SHOWN_BY_ENTRIES: Final = frozenset({"transaction", "journal_entry"})
FACTS_OF_ENTRIES: Final = frozenset(
    {"description", "documentRelationIds", "journalEntryId", "journalEntryIds", "postings", "status"}
)
# The keys of what a call sends that say nothing of its effect, or that the page shows elsewhere.
NOT_SHOWN_OF_CALLS: Final = frozenset({"note", "version"})
# Of all steps of a plan so many entries are shown whole; a page that nobody reads to its end decides nothing.
MOST_ENTRIES: Final = 60
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class EffectLeg:
    """A posting in the column that it belongs to; an amount is a decimal text, or none.

    `base` mirrors an amount in another currency than the base currency. `about` are its merchant's and project's names.
    """

    account_name: str
    currency: str
    debit: str | None
    credit: str | None
    base: str | None
    about: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntryState:
    """An entry as it is, or as it would be; `id` is none for one that would come."""

    id: int | None
    effective_on: date
    description: str
    status: str
    corrects_id: int | None
    legs: Sequence[EffectLeg]


@dataclass(frozen=True, slots=True)
class EntryEffect:
    """An entry now and after; before a correction stands what is in force of the entry that it corrects."""

    before: EntryState | None
    after: EntryState | None


@dataclass(frozen=True, slots=True)
class ProofEffect:
    """A proof that would be broken, or mended, and how far it would be off."""

    reconciliation_id: int
    account_name: str
    statement_date: date
    sentence: str


@dataclass(frozen=True, slots=True)
class ActEffect:
    """An act that would be done, and what it changes beside entries."""

    title: str
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class ProposalEffect:
    """The effect of a proposal as a page shows it; of entries that change, the acts on them say nothing more."""

    entries: Sequence[EntryEffect]
    entries_more: int
    balances: Sequence[Mapping[str, Any]]
    broken: Sequence[ProofEffect]
    mended: Sequence[ProofEffect]
    acts: Sequence[ActEffect]
    warnings: Sequence[str]


@dataclass(frozen=True, slots=True)
class CalledFile:
    """The file that a call brings, as its record names it; size in bytes."""

    name: str
    size: int | None
    sha256: str | None


@dataclass(frozen=True, slots=True)
class StepEffect:
    """A step of a plan as a page shows it: its place, its title, the call that it is, its file, and what it changes.

    `sent` is what the call says, with names in place of ids.
    """

    number: int
    title: str
    call: str
    file: CalledFile | None
    entry_count: int
    effect: ProposalEffect
    sent: Sequence[Change]
    is_grave: bool


def shown(proposal: Proposal) -> ProposalEffect:
    """Read the kept effect of a proposal for a page."""
    return _shown(proposal.organization_id, proposal.effect, {})


def steps(proposal: Proposal) -> list[StepEffect]:
    """Read what each step of a plan would change, the gravest first; its balances and proofs are the plan's.

    The first steps are shown with their entries, the later ones with their number.
    """
    found: list[StepEffect] = []
    sent = proposal.request.payload["body"]["steps"] if "steps" in proposal.effect else ()
    new, left = _new_names(proposal.effect.get("steps", ())), MOST_ENTRIES
    for each in summaries.ranked(proposal.effect.get("steps", ())):
        effect = {**each, "entries": each["entries"][:left], "balances": [], "proofs": []}
        of_step = _shown(proposal.organization_id, effect, new)
        left -= len(effect["entries"])
        call = f"{each['method']} {each['path']}"
        file = _file(sent[each["number"] - 1].get("body"))
        said = _sent(proposal.organization_id, each["path"], sent[each["number"] - 1].get("body"))
        is_grave = summaries.grave(each) < len(GRAVE_KINDS)
        found.append(
            StepEffect(
                each["number"],
                each["title"],
                call,
                file,
                each["entryCount"],
                of_step,
                said,
                is_grave=is_grave,
            )
        )
    return found


def sent(proposal: Proposal) -> list[Change]:
    """Read what a call says, as fields with names in place of ids; of a plan its steps say it."""
    payload = proposal.request.payload
    # Of one that is done the record has what its act says.
    if "steps" in proposal.effect or "path" not in payload:
        return []
    said = payload.get("body", payload.get("fields"))
    query = dict(parse_qsl(payload.get("query", "")))
    return _sent(
        proposal.organization_id, payload["path"], {**query, **said} if isinstance(said, dict) else query
    )


def _sent(organization_id: str, path: str, body: Any) -> list[Change]:
    if not isinstance(body, dict):
        return []
    fields = {key: value for key, value in body.items() if key not in NOT_SHOWN_OF_CALLS}
    call = ActionRequest(id="", before=None, after=_qualified(fields, path))
    return field_changes.of(organization_id, [call])[""]


def _qualified(body: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Name the ids of lines in calls on many as records name them.

    >>> _qualified({"ids": [7], "changes": [{"id": 7, "accountId": 3}]}, "/api/transactions")
    {'transactionIds': [7], 'changes': [{'transactionId': 7, 'accountId': 3}]}
    """
    if not path.startswith("/api/transactions"):
        return dict(body)
    names = {"id": "transactionId", "ids": "transactionIds"}
    return {
        names.get(key, key): [_qualified(each, path) if isinstance(each, dict) else each for each in value]
        if isinstance(value, list)
        else value
        for key, value in body.items()
    }


def file_of(proposal: Proposal) -> CalledFile | None:
    """Read from the record of a call which file it brings, as a form or within JSON."""
    payload = proposal.request.payload
    return _file(payload.get("body", payload))


def _file(sent: Mapping[str, Any] | None) -> CalledFile | None:
    if sent is None or sent.get("fileName") is None or "sha256" not in sent:
        return None
    return CalledFile(sent["fileName"], sent.get("size"), sent["sha256"])


def _new_names(stored: Sequence[Mapping[str, Any]]) -> Names:
    """Name the merchants and projects that steps would make, by what the entries of later ones have of them."""
    keys = {"merchant": "orgMerchantId", "project": "projectId"}
    acts = [act for step in stored for act in step["acts"] if act["target"]["kind"] in keys and act["after"]]
    return {
        (keys[act["target"]["kind"]], act["target"]["id"]): str(act["after"].get("name", "")) for act in acts
    }


def _shown(organization_id: str, effect: Mapping[str, Any], new: Names) -> ProposalEffect:
    sides = [side for each in effect["entries"] for side in (each["before"], each["after"]) if side]
    names = _names(organization_id, [posting for side in sides for posting in side["postings"]])
    entries = [_entry(organization_id, each, {**new, **names}) for each in effect["entries"]]
    moved = [each for each in entries if each.before != each.after]
    has_entries = bool(moved) or effect["entryCount"] > len(entries)
    acts = _acts(organization_id, effect["acts"], without_entries=has_entries)
    return ProposalEffect(
        entries=moved,
        entries_more=effect["entryCount"] - len(entries),
        balances=effect["balances"],
        broken=[_proof(each) for each in effect["proofs"] if not each["holds"]],
        mended=[_proof(each) for each in effect["proofs"] if each["holds"]],
        acts=acts,
        # Effects of before have none.
        warnings=effect.get("warnings", []),
    )


def neighbours(proposal: Proposal) -> list[Neighbour]:
    """List the other proposals that wait and are about something that a waiting one is about."""
    if proposal.request.status != "PENDING":
        return []
    # Effects of before do not name that.
    touches = proposal.effect.get("touches", ())
    return proposals.neighbours(proposal.organization_id, touches, proposal.action_request_id)


def breaks(proposal: Proposal) -> int:
    """Count the proofs that a proposal would break."""
    return sum(not each["holds"] for each in proposal.effect["proofs"])


def _names(organization_id: str, postings: Sequence[Mapping[str, Any]]) -> Names:
    """Look up the merchants and projects that postings name."""
    named = [(key, each[key]) for each in postings for key in NAMED if isinstance(each[key], int)]
    return names.of_ids(organization_id, named)


def _entry(organization_id: str, change: Mapping[str, Any], names: Names) -> EntryEffect:
    before, after = _entry_state(change["before"], names), _entry_state(change["after"], names)
    if before is None and after is not None and after.status == "DRAFT" and after.corrects_id is not None:
        before = _in_force(organization_id, after.corrects_id)
    return EntryEffect(before, after)


def _in_force(organization_id: str, entry_id: int) -> EntryState:
    """Return what an entry and all its corrections come to in the books."""
    entry = journal_entries.get(organization_id, entry_id)
    legs = journal_entries.effective_legs(entry)
    accounts = lookups.by_id(Account, organization_id, {leg.account_id for leg in legs})
    postings = [
        {
            "accountName": accounts[leg.account_id].name,
            "amount": str(Money(leg.amount_minor, leg.currency)),
            "amountBase": None
            if leg.amount_base_minor is None
            else str(Money(leg.amount_base_minor, entry.base_currency)),
            "currency": leg.currency,
            "orgMerchantId": leg.merchant_id,
            "projectId": leg.project_id,
        }
        for leg in legs
    ]
    names = _names(organization_id, postings)
    return EntryState(
        entry.id,
        entry.effective_on,
        entry.description,
        entry.status,
        None,
        [_leg(each, entry.base_currency, names) for each in postings],
    )


def _entry_state(entry: Mapping[str, Any] | None, names: Names) -> EntryState | None:
    if entry is None:
        return None
    return EntryState(
        entry["id"] if isinstance(entry["id"], int) else None,
        date.fromisoformat(entry["effectiveAt"][:10]),
        entry["description"],
        entry["status"],
        entry["correctsJournalEntryId"] if isinstance(entry["correctsJournalEntryId"], int) else None,
        [_leg(each, entry["baseCurrency"], names) for each in entry["postings"]],
    )


def _leg(posting: Mapping[str, Any], base_currency: str, names: Names) -> EffectLeg:
    amount, is_foreign = posting["amount"], posting["currency"] != base_currency
    is_credit = amount.startswith("-")
    return EffectLeg(
        posting["accountName"],
        posting["currency"],
        None if is_credit else amount,
        amount.removeprefix("-") if is_credit else None,
        (posting["amountBase"] or "").removeprefix("-") or None if is_foreign else None,
        tuple(names[key, posting[key]] for key in NAMED if (key, posting[key]) in names),
    )


def _proof(proof: Mapping[str, Any]) -> ProofEffect:
    return ProofEffect(
        proof["reconciliationId"],
        proof["accountName"],
        date.fromisoformat(proof["statementDate"]),
        _off(proof),
    )


def _off(proof: Mapping[str, Any]) -> str:
    """Say by how much a proof would be off: its own lines, or the books behind them."""
    cleared, stated, off = (_figure(proof[key]) for key in ("clearedNow", "statementBalance", "offBy"))
    if cleared == stated:
        return f"The books would differ from it by {off}."
    return f"Its ticked lines would come to {cleared}. The statement is {stated}. Off by {off}."


def _figure(amount: str) -> str:
    whole, point, fraction = amount.removeprefix("-").partition(".")
    return f"{MINUS if amount.startswith('-') else ''}{int(whole):,}{point}{fraction}"


def _acts(
    organization_id: str, stored: Sequence[Mapping[str, Any]], *, without_entries: bool
) -> list[ActEffect]:
    """Read what acts change; `without_entries` leaves out what the entries beside them show already."""
    by_entries = {
        place
        for place, each in enumerate(stored)
        if without_entries and each["target"]["kind"] in SHOWN_BY_ENTRIES
    }
    acts = []
    for place, each in enumerate(stored):
        hidden = FACTS_OF_ENTRIES if place in by_entries else frozenset()
        before, after = (
            {key: value for key, value in (each[side] or {}).items() if key not in hidden}
            for side in ("before", "after")
        )
        acts.append(ActionRequest(id=str(place), title=each["title"], before=before, after=after))
    changes = field_changes.of(organization_id, acts)
    return [
        ActEffect(act.title, changes[act.id])
        for place, act in enumerate(acts)
        if place not in by_entries or changes[act.id]
    ]
