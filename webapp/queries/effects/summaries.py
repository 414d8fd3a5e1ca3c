"""What a write does in a few figures, from its effect as it is kept, and the parts of that effect one by one."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from webapp.ledger import titles
from webapp.ledger.open_items.payable_items import ShortAs
from webapp.ledger.scopes import GRAVE_KINDS
from webapp.models import ActionRequest
from webapp.queries.audit import action_requests
from webapp.queries.common.paging import Page
from webapp.queries.effects.books import NO_EFFECT

Json = dict[str, Any]

MOST_LISTED: Final = 20
WRITE_OFF: Final = "write_off"
PARTS: Final = (("acts", "act"), ("entries", "entry"), ("balances", "balance"), ("proofs", "proof"))
# Of what waits for nobody, or for somebody: the keys that only the other has.
UNDECIDED: Final[Mapping[str, Any]] = {
    "id": None,
    "kind": None,
    "status": None,
    "target": None,
    "digest": None,
    "created_at": None,
    "expires_at": None,
    "replaced_by": None,
    "reason": "",
    "error": "",
    "effect": None,
}


def of_effect(whole: Mapping[str, Any], *, title: str, blockers: Sequence[Json] = (), **facts: Any) -> Json:
    """Summarise an effect; `facts` say of whose, as far as there is an act or a proposal."""
    steps = ranked(whole.get("steps", []))
    moved = sorted(whole["balances"], key=lambda each: -abs(Decimal(each["changeBase"])))
    broken = [each for each in whole["proofs"] if not each["holds"]]
    mended = [each for each in whole["proofs"] if each["holds"]]
    # Effects of before have none.
    warnings = whole.get("warnings", [])
    return {
        **UNDECIDED,
        "title": title,
        "counts": {
            "acts": len(whole["acts"]) + sum(len(each["acts"]) for each in steps),
            "entries": whole["entryCount"],
            "balances": len(moved),
            "broken": len(broken),
            "mended": len(mended),
            "blockers": len(blockers),
            "warnings": len(warnings),
            "steps": len(steps),
        },
        "sums": _sums(moved),
        "balances": [
            _written(each, "accountId", "accountName", "currency", "change") for each in moved[:MOST_LISTED]
        ],
        "broken": [_proof(each) for each in broken[:MOST_LISTED]],
        "mended": [_proof(each) for each in mended[:MOST_LISTED]],
        "blockers": list(blockers[:MOST_LISTED]),
        "warnings": list(warnings[:MOST_LISTED]),
        "steps": [_written(each, "number", "title", "entryCount") for each in steps[:MOST_LISTED]],
        "more_steps": _more(steps[MOST_LISTED:]),
        **facts,
    }


def grave(step: Mapping[str, Any]) -> int:
    """Rank a step of a plan by the gravest of its acts: 0 for the gravest, the number of all kinds for any other.

    >>> grave({"acts": [{"kind": "create_merchant", "after": {}}]}) == len(GRAVE_KINDS)
    True
    >>> grave({"acts": [{"kind": "edit_transaction", "after": {"short": {"as": "WRITE_OFF"}}}]})
    10
    """
    ranks = [GRAVE_KINDS.index(kind) for act in step["acts"] if (kind := kind_of(act)) in GRAVE_KINDS]
    return min(ranks, default=len(GRAVE_KINDS))


def kind_of(act: Mapping[str, Any]) -> str:
    """Give the kind of an act, a write-off apart from other edits."""
    short = (act["after"] or {}).get("short") or {}
    return WRITE_OFF if short.get("as") == ShortAs.WRITE_OFF else str(act["kind"])


def ranked(steps: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Put the steps of a plan in the order of their gravity, those of one rank as they are done."""
    return sorted(steps, key=lambda each: (grave(each), each["number"]))


def warnings_of_steps(steps: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say which of the steps of a plan are grave, in a sentence for each kind."""
    if len(steps) == 1:
        return []
    of_rank: defaultdict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for each in ranked(steps):
        of_rank[grave(each)].append(each)
    of_rank.pop(len(GRAVE_KINDS), None)
    return [
        f"Step {found[0]['number']} of this plan also {titles.in_the_present(found[0]['title'])}{_others(found[1:])}."
        for found in of_rank.values()
    ]


def _others(steps: Sequence[Mapping[str, Any]]) -> str:
    """Name the steps that do the same."""
    if not steps:
        return ""
    numbers = titles.listed([str(each["number"]) for each in steps])
    return f"; so {'does step' if len(steps) == 1 else 'do steps'} {numbers}"


def heading(request: ActionRequest) -> str:
    """Name a proposal as a page does: a plan by what its steps do, the gravest first, and then by its own title."""
    steps = [
        each
        for each in (request.proposal.effect if request.proposal else {}).get("steps", ())
        if each["title"]
    ]
    if not steps:
        return request.title
    return f"{titles.of_several([each['title'] for each in ranked(steps)])}, called “{titles.clipped(request.title)}”"


def _more(steps: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Count by kind the steps that a summary has no room for."""
    kinds = Counter(each["acts"][0]["kind"] if each["acts"] else "nothing" for each in steps)
    return [{"kind": kind, "count": count} for kind, count in kinds.most_common()]


def of_request(request: ActionRequest) -> Json:
    """Summarise an act, or a proposal with its kept effect."""
    proposal = request.proposal
    facts: Json = {
        "id": request.id,
        "kind": request.kind,
        "status": request.status,
        "target": request.target,
        "created_at": request.created_at,
        "error": request.error,
        "effect": address(request.id),
    }
    if proposal is None:
        return of_effect({**NO_EFFECT, "acts": [None]}, title=request.title, **facts)
    facts |= {"digest": proposal.digest, "expires_at": proposal.expires_at}
    facts |= {"replaced_by": proposal.replaced_by, "reason": proposal.reason}
    return of_effect(proposal.effect, title=request.title, blockers=proposal.blockers, **facts)


def address(request_id: str) -> str:
    """Give the address of an act's whole effect."""
    return f"/api/action-requests/{request_id}/effect"


def page(request: ActionRequest, *, after: int, limit: int) -> Page[Json]:
    """List the parts of the effect of an act or a proposal, by step; `after` so many."""
    parts = list(_parts(request))
    shown = parts[after : after + limit]
    more = after + limit < len(parts)
    return Page(shown, (version(request), after + limit) if more else None, len(parts))


def version(request: ActionRequest) -> str:
    """Name the effect that a page is of: a proposal's may become another one."""
    return request.proposal.digest[:12] if request.proposal is not None else ""


def _parts(request: ActionRequest) -> Iterator[Json]:
    if request.proposal is None:
        for act in _acts(request):
            yield _part(None, "act", act)
        return
    effect = request.proposal.effect
    for step in (*effect.get("steps", ()), {**effect, "number": None}):
        for key, name in PARTS:
            for value in step[key]:
                yield _part(step["number"], name, value)


def _part(step: int | None, name: str, value: Mapping[str, Any]) -> Json:
    return {"step": step, **dict.fromkeys((part for _, part in PARTS)), name: value}


def _acts(request: ActionRequest) -> list[Json]:
    """Write an act as effects have it, or those that a plan came to."""
    ids = (request.result or {}).get("actionRequestIds", [])
    found = action_requests.by_ids(request.organization_id, ids)
    acts = [found[each] for each in ids if each in found] or [request]
    keys = ("kind", "target", "title", "note", "before", "after")
    return [{key: getattr(each, key) for key in keys} for each in acts]


def _sums(moved: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Add up by currency what accounts gain."""
    gains: defaultdict[str, Decimal] = defaultdict(Decimal)
    for each in moved:
        change = Decimal(each["change"])
        # A loss counts as nothing, with as many digits as its currency has.
        gains[each["currency"]] += max(change, 0 * change)
    return [{"currency": currency, "amount": str(gain)} for currency, gain in sorted(gains.items())]


def _written(value: Mapping[str, Any], *keys: str) -> Json:
    return {_snake(key): value[key] for key in keys}


def _proof(proof: Mapping[str, Any]) -> Json:
    return _written(proof, "reconciliationId", "accountName", "statementDate", "offBy")


def _snake(key: str) -> str:
    """Write a key as schemas name it.

    >>> _snake("accountId")
    'account_id'
    """
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in key)
