"""Plans over JSON."""

from typing import Any

from webapp.schemas.paging import wrapped
from webapp.schemas.plans import PlanInputSchema, PlanSchema
from webapp.services.audit.plans import PlanDone
from webapp.web.access.auth import requires
from webapp.web.access.blueprints import Blueprint
from webapp.web.proposals import plans
from webapp.web.proposals.calls import with_own_trial

bp = Blueprint("api_plans", __name__, url_prefix="/api/plans", description="Plans")


@bp.post("")
@with_own_trial(plans.tried, plans.scope)
@requires("read", writes=True, is_heavy=True, body_limit=plans.BODY_LIMIT)
@bp.arguments(PlanInputSchema)
@bp.response(200, wrapped("plan", PlanSchema))
def carry_out(body: dict[str, Any]) -> dict[str, PlanDone]:
    """Do several calls in an order, all or nothing, or propose them as one.

    It needs the scopes of all its steps. A key that lacks one, or that would pass its cap at any step, proposes the
    whole plan (202), and nothing of it is done before a person approves it. A refused step refuses the plan:
    `details.step` has its number and its own error, and nothing is changed.
    """
    return {"plan": plans.execute(body)}
