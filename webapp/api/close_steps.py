"""The steps that an organization adds to its closes, and what it asks of them, over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.closes import (
    ClosePolicySchema,
    OwnStepInputSchema,
    OwnStepSchema,
    OwnStepsSchema,
)
from webapp.schemas.paging import changing, wrapped
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_close_steps", __name__, url_prefix="/api/close-steps", description="Steps of closes")
AnswerSchema = wrapped("closeStep", OwnStepSchema)


@bp.get("")
@requires("read")
@bp.response(200, OwnStepsSchema)
def listed() -> dict[str, Any]:
    """List the steps that were added to closes."""
    return {"close_steps": queries.closes.marks.own_steps(organization_id(), with_archived=True)}


@bp.post("")
@requires("admin")
@bp.arguments(OwnStepInputSchema)
@bp.response(201, AnswerSchema)
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Add a step to closes: a person ticks it in each."""
    return {"closeStep": services.closes.marks.create_step(**body, **acting())}


@bp.get("/policy")
@requires("read")
@bp.response(200, ClosePolicySchema)
def read_policy() -> Any:
    """Read what closes ask for: two persons, documents, sentences about changes."""
    return queries.closes.marks.policy_record(organization_id())


@bp.put("/policy")
@requires("admin")
@bp.arguments(ClosePolicySchema)
@bp.response(200, changing(ClosePolicySchema))
def put_policy(body: dict[str, Any]) -> Any:
    """Say what closes ask for; what is left out asks for nothing."""
    services.closes.marks.change_policy(**body, **acting())
    return queries.closes.marks.policy_record(organization_id())


@bp.patch("/<id:own_step_id>")
@requires("admin")
@bp.arguments(OwnStepInputSchema)
@bp.response(200, changing(AnswerSchema))
def update(body: dict[str, Any], own_step_id: int) -> dict[str, Any]:
    """Change a step of closes, or archive it."""
    found = queries.closes.marks.own_step(organization_id(), own_step_id)
    return {"closeStep": services.closes.marks.update_step(found, body, **acting())}
