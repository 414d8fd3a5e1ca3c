"""What closes ask for, in the settings: two persons, documents, sentences, an amount, and steps of one's own."""

from collections.abc import Callable

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.ledger.money import Money
from webapp.schemas.bookkeeping.balance_proofs import MaterialitySchema
from webapp.schemas.closes import ClosePolicyFormSchema, OwnStepFormSchema
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import render
from webapp.web.rendering.problems import Problem, act_or_show

bp = Blueprint("close_settings", __name__, url_prefix="/settings/month-end")
LISTS = frozenset({"exemptAccountIds", "exemptMerchantIds"})


@bp.get("")
@requires("read")
def show() -> Response:
    """Show what closes ask for."""
    return shown()


@bp.post("/policy")
@requires("admin")
def put_policy() -> Response:
    """Say what closes ask for, or show why not."""
    load = ClosePolicyFormSchema().load
    return _done(
        "policy",
        lambda: services.closes.marks.change_policy(**load(form_body(lists=LISTS)), **acting()),
    )


@bp.post("/materiality")
@requires("admin")
def set_materiality() -> Response:
    """Set up to which size explanations of differences need no approver, or show why not."""
    organization, load = queries.access.organizations.get(organization_id()), MaterialitySchema().load
    act = services.closes.balance_notes.set_materiality
    return _done("materiality", lambda: act(organization, load(form_body())["materiality"], **acting()))


@bp.post("/steps")
@requires("admin")
def create_step() -> Response:
    """Add a step to closes, or show why not."""
    load = OwnStepFormSchema().load
    return _done("new", lambda: services.closes.marks.create_step(**load(form_body()), **acting()))


@bp.post("/steps/<id:own_step_id>")
@requires("admin")
def update_step(own_step_id: int) -> Response:
    """Change a step of closes, or show why not."""
    step, load = queries.closes.marks.own_step(organization_id(), own_step_id), OwnStepFormSchema().load
    act = services.closes.marks.update_step
    return _done(str(own_step_id), lambda: act(step, load(form_body()), **acting()))


def _done(part: str, act: Callable[[], object]) -> Response:
    return act_or_show(act, url_for("close_settings.show"), lambda problem: shown(problem, part))


def shown(problem: Problem | None = None, part: str = "") -> Response:
    """Render what closes ask for, with the form that was refused as it was typed."""
    here = organization_id()
    organization = queries.access.organizations.get(here)
    policy = queries.closes.marks.policy_record(here)
    return render(
        "closes/settings.html",
        policy=policy,
        materiality=Money(organization.materiality_minor, organization.base_currency),
        steps=queries.closes.marks.own_steps(here, with_archived=True),
        members=[each.user for each in queries.access.organizations.members(here)],
        accounts=queries.accounts.choices.accounts(here),
        merchants=queries.accounts.choices.merchants(here, chosen=policy.exempt_merchant_ids),
        form=request.form,
        problem=problem,
        part=part,
    )
