"""What a write does in a few figures, from its effect as it is kept, and the parts of that effect one by one."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from webapp.models import ActionRequest
from webapp.queries.audit import action_requests
from webapp.queries.common.paging import Page
from webapp.queries.effects.books import NO_EFFECT

Json = dict[str, Any]

MOST_LISTED: Final = 20
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
    steps = whole.get("steps", [])
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
        **facts,
    }


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
