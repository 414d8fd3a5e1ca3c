"""Queries on proposals: those that wait, the decided and the expired ones, and their counts."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.database.tenancy import asking_owner, is_bound
from webapp.ledger.errors import NotFoundError
from webapp.ledger.references import Kind
from webapp.ledger.titles import PLAN
from webapp.models import ActionRequest, Proposal, refers_to


def waiting(organization_id: str, now: datetime, *, limit: int) -> Sequence[Proposal]:
    """List the proposals that wait for a decision, oldest first."""
    statement = _pending(organization_id).where(Proposal.expires_at > now)
    return db.session.scalars(statement.order_by(ActionRequest.id).limit(limit)).all()


def count(organization_id: str, now: datetime) -> int:
    """Count the proposals that wait for a decision."""
    return db.session.scalar(sa.select(count_subquery(organization_id, now))) or 0


def count_subquery(organization_id: Any, now: datetime) -> sa.ScalarSelect[int]:
    """Select their count for another statement; `organization_id` may be a column of it."""
    return (
        sa.select(sa.func.count())
        .select_from(ActionRequest)
        .join(Proposal, refers_to(Proposal.action_request_id, ActionRequest))
        .where(
            ActionRequest.organization_id == organization_id,
            ActionRequest.status == "PENDING",
            Proposal.expires_at > now,
        )
        .scalar_subquery()
    )


def expired(organization_id: str, now: datetime) -> Sequence[Proposal]:
    """List the waiting proposals whose time is over."""
    return db.session.scalars(_pending(organization_id).where(Proposal.expires_at <= now)).all()


def waiting_of_tokens(organization_id: str, token_ids: Collection[int]) -> Sequence[Proposal]:
    """List the waiting proposals of some tokens."""
    return db.session.scalars(_pending(organization_id).where(Proposal.token_id.in_(token_ids))).all()


def count_of_token(organization_id: str, token_id: int | None) -> int:
    """Count the waiting proposals of a token."""
    own = _pending(organization_id).where(Proposal.token_id == token_id)
    return db.session.scalar(sa.select(sa.func.count()).select_from(own.subquery())) or 0


def count_live_of_token(organization_id: str, token_id: int, now: datetime) -> int:
    """Count the proposals of a token that wait and whose time is not over."""
    live = _pending(organization_id).where(Proposal.token_id == token_id, Proposal.expires_at > now)
    return db.session.scalar(sa.select(sa.func.count()).select_from(live.subquery())) or 0


def counts_of_tokens(organization_id: str, token_ids: Collection[int]) -> dict[int, tuple[int, int]]:
    """Count what each token proposed, and what of it waits."""
    waits = sa.case((ActionRequest.status == "PENDING", 1), else_=0)
    rows = db.session.execute(
        sa.select(Proposal.token_id, sa.func.count(), sa.func.sum(waits))
        .join(ActionRequest, refers_to(Proposal.action_request_id, ActionRequest))
        .where(Proposal.organization_id == organization_id, Proposal.token_id.in_(token_ids))
        .group_by(Proposal.token_id)
    )
    return {token_id: (count, int(waiting)) for token_id, count, waiting in rows}


def waiting_call(organization_id: str, fingerprint: str) -> Proposal | None:
    """Find the waiting proposal of a call by anybody."""
    return db.session.scalar(_pending(organization_id).where(Proposal.fingerprint == fingerprint).limit(1))


def waiting_for(organization_id: str, path: str) -> list[str]:
    """List the ids of the waiting proposals of calls at the path of a record or below it, oldest first.

    Those of calls and plans that would change the record among others are with them.
    """
    record = _at(path)
    concerned = [Proposal.path == path, Proposal.path.startswith(f"{path}/", autoescape=True)]
    if record is not None:
        # As an effect is written: only a few have so much as the text, and those are looked into.
        words = json.dumps({"target": record})[1:-1]
        concerned.append(sa.cast(Proposal.effect, sa.Text).contains(words, autoescape=True))
    found = _pending(organization_id).where(sa.or_(*concerned)).order_by(Proposal.action_request_id)
    return [each.action_request_id for each in db.session.scalars(found)]


class Neighbour(NamedTuple):
    """A waiting proposal on something that another one is about as well."""

    id: str
    title: str
    things: Sequence[str]


def neighbours(organization_id: str, touches: Collection[str], but: str) -> list[Neighbour]:
    """List the waiting proposals, oldest first, that are about one of these rows, without the one named `but`."""
    if not touches:
        return []
    rows = db.session.execute(
        sa.select(ActionRequest.id, ActionRequest.title, Proposal.effect["touches"].as_json())
        .join(Proposal, refers_to(Proposal.action_request_id, ActionRequest))
        .where(
            ActionRequest.organization_id == organization_id,
            ActionRequest.status == "PENDING",
            ActionRequest.id != but,
        )
        .order_by(ActionRequest.id)
    )
    found = [(row_id, title, sorted({*touches} & {*(things or ())})) for row_id, title, things in rows]
    return [Neighbour(*each) for each in found if each[2]]


def own(organization_id: str, request_id: str, token_id: int | None) -> Proposal | None:
    """Find what a token proposed, decided or not."""
    statement = _joined(organization_id).where(
        Proposal.action_request_id == request_id, Proposal.token_id == token_id
    )
    return db.session.scalar(statement)


def _at(path: str) -> dict[str, str] | None:
    """Give the record at a path as acts name it."""
    address, _, row_id = path.rpartition("/")
    kind = Kind.at(address)
    return {"kind": kind.value, "id": row_id} if kind is not None and row_id.isdecimal() else None


def plan_of(organization_id: str, request_id: str, token_id: int | None) -> Proposal | None:
    """Find a plan that a token proposed, decided or not."""
    found = own(organization_id, request_id, token_id)
    return found if found is not None and found.request.kind == PLAN else None


def decided(organization_id: str, *, limit: int) -> Sequence[Proposal]:
    """List the proposals that were decided or are over, the latest decision first."""
    statement = _joined(organization_id).where(ActionRequest.status != "PENDING")
    newest = statement.order_by(ActionRequest.decided_at.desc(), ActionRequest.id.desc())
    return db.session.scalars(newest.limit(limit)).all()


class KeptFile(NamedTuple):
    """The file that a waiting proposal was sent with; `name` is its name in the instance folder."""

    organization_id: str
    request_id: str
    name: str
    sha256: str


def files() -> list[KeptFile]:
    """List the files of all waiting proposals, of whichever organization, in the order in which they came."""
    file = Proposal.form["file"]
    rows = db.session.execute(
        sa.select(
            Proposal.organization_id,
            Proposal.action_request_id,
            file["kept"].as_string(),
            file["sha256"].as_string(),
        )
        .join(ActionRequest, refers_to(Proposal.action_request_id, ActionRequest))
        .where(ActionRequest.status == "PENDING", file["kept"].as_string().is_not(None))
        .order_by(Proposal.action_request_id),
        execution_options={"across_organizations": True},
    )
    return [KeptFile(*row) for row in rows]


def names_of_files() -> set[str]:
    """Give the names of the files of all waiting proposals, of whichever organization: the folder is one for all."""
    if is_bound(db.session()):
        with asking_owner(db.session()) as connection:
            return set(connection.scalars(sa.select(sa.func.named_by_proposals())))
    return {file.name for file in files()}


def get(organization_id: str, request_id: str) -> Proposal:
    """Find a proposal by its action request, or raise NotFoundError."""
    found: Proposal | None = db.session.scalar(
        _joined(organization_id).where(Proposal.action_request_id == request_id)
    )
    if found is None:
        raise NotFoundError
    return found


def _pending(organization_id: str) -> sa.Select[Proposal]:
    return _joined(organization_id).where(ActionRequest.status == "PENDING")


def _joined(organization_id: str) -> sa.Select[Proposal]:
    return (
        sa.select(Proposal)
        .join(ActionRequest, refers_to(Proposal.action_request_id, ActionRequest))
        .where(ActionRequest.organization_id == organization_id)
        .options(orm.contains_eager(Proposal.request))
    )
