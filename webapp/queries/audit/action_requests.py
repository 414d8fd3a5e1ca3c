"""Queries on acts (action requests): finding one, listing many, and the addresses of their targets."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import contains_eager
from sqlalchemy.orm.attributes import set_committed_value

from webapp.database.sessions import db
from webapp.ledger.act_ids import act_id
from webapp.ledger.errors import NotFoundError
from webapp.models import (
    Account,
    ActionRequest,
    Document,
    FeedAccount,
    Import,
    JournalEntry,
    Merchant,
    Project,
    ProjectGroup,
    Proposal,
    Reconciliation,
    Rule,
    RuleRun,
    Transaction,
)
from webapp.models.base import Numbered
from webapp.queries.common import lookups
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.portions import ids_where, portions

REQUEST_ID = re.compile(r"ar_[0-9A-Z]{26}", re.ASCII)
# The targets that have a page, with its address; a line is on the page of its account.
PAGES: dict[str, tuple[type[Numbered], str]] = {
    "account": (Account, "/accounts/{}"),
    "document": (Document, "/documents/{}"),
    "feed_account": (FeedAccount, "/feeds/{}"),
    "import": (Import, "/imports/{}"),
    "journal_entry": (JournalEntry, "/journal/{}"),
    "merchant": (Merchant, "/merchants/{}"),
    "project": (Project, "/projects/{}"),
    "project_group": (ProjectGroup, "/projects/groups/{}"),
    "reconciliation": (Reconciliation, "/reconciliations/proofs/{}"),
    "rule": (Rule, "/rules/{}"),
    "rule_run": (RuleRun, "/rules/runs/{}"),
}
NEWEST = Order((ActionRequest.id,))  # type: ignore[arg-type]


def get(organization_id: str, request_id: str) -> ActionRequest:
    """Find an act, or raise NotFoundError."""
    if not REQUEST_ID.fullmatch(request_id):
        raise NotFoundError
    found = db.session.scalar(
        sa.select(ActionRequest).where(
            ActionRequest.organization_id == organization_id, ActionRequest.id == request_id
        )
    )
    if found is None:
        raise NotFoundError
    return found


def by_ids(organization_id: str, ids: Iterable[str | None]) -> dict[str, ActionRequest]:
    """Find some acts by their ids; None among them is ignored."""
    return {
        row.id: row
        for some in portions({each for each in ids if each})
        for row in db.session.scalars(
            sa.select(ActionRequest).where(
                ActionRequest.organization_id == organization_id, ActionRequest.id.in_(some)
            )
        )
    }


def current(organization_id: str, request_id: str, now: datetime) -> ActionRequest:
    """Find an act with its status at an instant (EXPIRED for a proposal whose time is over), or raise NotFoundError."""
    return _as_of(get(organization_id, request_id), now)


def _as_of(request: ActionRequest, now: datetime) -> ActionRequest:
    """Show a proposal whose time is over as EXPIRED, before the status is stored."""
    proposal = request.proposal if request.status == "PENDING" else None
    if proposal is not None and proposal.expires_at <= now:
        set_committed_value(request, "status", "EXPIRED")
    return request


def listed(
    organization_id: str,
    *,
    status: str | None = None,
    kind: str | None = None,
    actor: tuple[str, int] | None = None,
    target: tuple[str, str] | None = None,
    since: datetime | None = None,
    among: Sequence[sa.ColumnElement[bool]] = (),
    now: datetime,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[ActionRequest]:
    """List acts, newest first, with their status at `now`; `actor` and `target` are each a kind and an id.

    `among` are further conditions.
    """
    statement = sa.select(ActionRequest).where(ActionRequest.organization_id == organization_id, *among)
    statement = statement.outerjoin(ActionRequest.proposal).options(contains_eager(ActionRequest.proposal))
    is_over = sa.and_(ActionRequest.status == "PENDING", Proposal.expires_at <= now)
    if status == "EXPIRED":
        statement = statement.where(sa.or_(ActionRequest.status == status, is_over))
    elif status is not None:
        statement = statement.where(
            ActionRequest.status == status, sa.not_(sa.func.coalesce(is_over, sa.false()))
        )
    if kind is not None:
        statement = statement.where(ActionRequest.kind == kind)
    if since is not None:
        statement = statement.where(ActionRequest.id >= act_id(since))
    if target is not None:
        statement = statement.where(
            ActionRequest.target_kind == target[0], ActionRequest.target_id == target[1]
        )
    if actor is not None:
        statement = statement.where(
            ActionRequest.actor["kind"].as_string() == actor[0],
            ActionRequest.actor["id"].as_integer() == actor[1],
        )
    found = page(statement, NEWEST, after=after, limit=limit)
    for request in found.items:
        _as_of(request, now)
    return found


def addresses(organization_id: str, requests: Sequence[ActionRequest]) -> dict[str, str]:
    """Give the address of each act's target, by the act's id; a target without a page, or deleted, is left out."""
    targets: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for each in requests:
        if each.target_id.isdecimal():
            targets[each.target_kind][each.id] = int(each.target_id)
    found = _lines(organization_id, targets.pop("transaction", {}))
    for kind in targets.keys() & PAGES.keys():
        model, address = PAGES[kind]
        of_books = sa.select(model.id).where(model.organization_id == organization_id)
        existing = ids_where(of_books, model.id, targets[kind].values())
        found |= {act: address.format(target) for act, target in targets[kind].items() if target in existing}
    return found


def _lines(organization_id: str, lines: Mapping[str, int]) -> dict[str, str]:
    existing = lookups.by_id(Transaction, organization_id, lines.values())
    return {
        act: f"/feeds/{existing[line].feed_account_id}?show=all&line={line}#line-{line}"
        for act, line in lines.items()
        if line in existing
    }
