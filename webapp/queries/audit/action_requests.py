"""Questions about acts: one, and the latest."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import contains_eager
from sqlalchemy.orm.attributes import set_committed_value

from webapp.db import db
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
from webapp.queries.common.portions import ids_where

REQUEST_ID = re.compile(r"ar_[0-9A-Z]{26}", re.ASCII)
# What has a page of its own, and its address; a line has one beside its account.
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


def named(organization_id: str, ids: Iterable[str | None]) -> dict[str, ActionRequest]:
    """Find some acts by their ids, among which None names nothing."""
    wanted = {each for each in ids if each}
    rows = db.session.scalars(
        sa.select(ActionRequest).where(
            ActionRequest.organization_id == organization_id, ActionRequest.id.in_(wanted)
        )
    )
    return {row.id: row for row in rows}


def read(organization_id: str, request_id: str, now: datetime) -> ActionRequest:
    """Find an act as it stands at an instant: a proposal whose time is over reads EXPIRED, or raise NotFoundError."""
    return _as_of(get(organization_id, request_id), now)


def _as_of(request: ActionRequest, now: datetime) -> ActionRequest:
    """Let a proposal whose time is over read so, before anybody has written it down."""
    waits = request.proposal if request.status == "PENDING" else None
    if waits is not None and waits.expires_at <= now:
        set_committed_value(request, "status", "EXPIRED")
    return request


def listed(
    organization_id: str,
    *,
    status: str | None = None,
    kind: str | None = None,
    actor: tuple[str, int] | None = None,
    since: datetime | None = None,
    now: datetime,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[ActionRequest]:
    """List acts, newest first, as they stand now; `actor` is the kind and id of whoever did them, `since` when."""
    statement = sa.select(ActionRequest).where(ActionRequest.organization_id == organization_id)
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
    if actor is not None:
        statement = statement.where(
            ActionRequest.actor["kind"].as_string() == actor[0],
            ActionRequest.actor["id"].as_integer() == actor[1],
        )
    found = page(statement, NEWEST, after=after, limit=limit)
    for request in found.items:
        _as_of(request, now)
    return found


def about(
    organization_id: str, target_kind: str, target_ids: list[str], *, limit: int = 50
) -> list[ActionRequest]:
    """List the acts on some things, newest first."""
    return list(
        db.session.scalars(
            sa.select(ActionRequest)
            .where(
                ActionRequest.organization_id == organization_id,
                ActionRequest.target_kind == target_kind,
                ActionRequest.target_id.in_(target_ids),
            )
            .order_by(ActionRequest.id.desc())
            .limit(limit)
        )
    )


def places(organization_id: str, requests: Sequence[ActionRequest]) -> dict[str, str]:
    """Give the address of what each act was about, by the act's id; what has no page, or is gone, is left out."""
    targets: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for each in requests:
        if each.target_id.isdecimal():
            targets[each.target_kind][each.id] = int(each.target_id)
    found = _lines(organization_id, targets.pop("transaction", {}))
    for kind in targets.keys() & PAGES.keys():
        model, address = PAGES[kind]
        of_books = sa.select(model.id).where(model.organization_id == organization_id)
        there = ids_where(of_books, model.id, targets[kind].values())
        found |= {act: address.format(target) for act, target in targets[kind].items() if target in there}
    return found


def _lines(organization_id: str, lines: Mapping[str, int]) -> dict[str, str]:
    there = lookups.by_id(Transaction, organization_id, lines.values())
    return {
        act: f"/feeds/{there[line].feed_account_id}?show=all&line={line}#line-{line}"
        for act, line in lines.items()
        if line in there
    }
