"""Proofs of accounts of the balance sheet over JSON."""

from typing import Any

from webapp import queries, services
from webapp.ledger.closing.balances import ATTESTED
from webapp.ledger.money import Money
from webapp.schemas.bookkeeping.balance_proofs import (
    BalanceDaySchema,
    BalanceProofsSchema,
    MaterialitySchema,
    NewBalanceNoteSchema,
)
from webapp.schemas.paging import changing, wrapped
from webapp.services.closes.balance_notes import NoteInput
from webapp.web.access.auth import acting, demand_session, organization_id, requires
from webapp.web.access.blueprints import Blueprint
from webapp.web.rendering import periods

bp = Blueprint(
    "api_balance_proofs", __name__, url_prefix="/api/balance-proofs", description="Proofs of accounts"
)
AnswerSchema = wrapped("balanceProofs", BalanceProofsSchema)


@bp.get("")
@requires("read", is_heavy=True)
@bp.arguments(BalanceDaySchema, location="query")
@bp.response(200, AnswerSchema)
def read(query: dict[str, Any]) -> dict[str, Any]:
    """Get what proves each account of the balance sheet at the close of a day, and what is left of it."""
    return _answer(periods.report_day(query["as_of"]))


@bp.post("/notes")
@requires("reconcile")
@bp.arguments(NewBalanceNoteSchema)
@bp.response(201, changing(AnswerSchema))
def create(body: NoteInput) -> dict[str, Any]:
    """Explain a part of a difference, or attest a figure, for which a person signs in."""
    if body["kind"] == ATTESTED:
        demand_session()
    made = services.closes.balance_notes.write(body, **acting())
    return _answer(made.as_of)


@bp.post("/notes/<id:note_id>/withdraw")
@requires("reconcile")
@bp.response(200, changing(AnswerSchema))
def withdraw(note_id: int) -> dict[str, Any]:
    """Withdraw what was attested or explained."""
    note = queries.closes.balance_proofs.note(organization_id(), note_id)
    services.closes.balance_notes.withdraw(note, **acting())
    return _answer(note.as_of)


@bp.put("/materiality")
@requires("admin")
@bp.arguments(MaterialitySchema)
@bp.response(200, changing(AnswerSchema))
def set_materiality(body: dict[str, Any]) -> dict[str, Any]:
    """Set up to which size explanations need no approver."""
    organization = queries.access.organizations.get(organization_id())
    services.closes.balance_notes.set_materiality(organization, body["materiality"], **acting())
    return _answer(periods.report_day(None))


def _answer(day: Any) -> dict[str, Any]:
    organization = queries.access.organizations.get(organization_id())
    return {
        "balanceProofs": {
            "as_of": day,
            "materiality": Money(organization.materiality_minor, organization.base_currency),
            "accounts": queries.closes.balance_proofs.of_day(organization, day),
        }
    }
