"""Webhooks in the settings: the addresses that are told what happens, and what was sent to each."""

from collections.abc import Sequence
from typing import Any, Final

from flask import Blueprint, Response, request, url_for

from webapp.ledger.codes import ACTIVITY_AREAS
from webapp.pages.audit.action_requests import AREAS
from webapp.schemas.access import WebhookFormSchema, WebhookSwitchFormSchema
from webapp.services.operating import webhooks
from webapp.services.operating.outbound import Gate
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires, settings
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.languages import marked
from webapp.web.rendering.problems import REFUSALS, Problem, act_or_show, problem_of

bp = Blueprint("webhooks", __name__, url_prefix="/settings/webhooks")
SHOWN = 50
TYPES: Final = frozenset({"types"})
# What a webhook may be told of, by the types of those events.
CHOICES: Final = {
    "*": marked("Everything"),
    "*.pending": marked("What waits for a decision"),
    **{
        ",".join(f"{kind}.*" for kind in kinds): AREAS[area]
        for area, kinds in ACTIVITY_AREAS.items()
        if kinds
    },
}


@bp.get("")
@requires("admin", session_only=True)
def index() -> Response:
    """List the webhooks."""
    return show_webhooks()


@bp.post("")
@requires("admin", session_only=True)
def create() -> Response:
    """Add a webhook and show its secret, only now, or show the error."""
    try:
        body = WebhookFormSchema().load(form_body(lists=TYPES))
        endpoint, secret = webhooks.create(**body, gate=Gate(*settings().outbound), **acting())
    except REFUSALS as error:
        return show_webhooks(problem_of(error))
    return show_webhook(endpoint, secret=secret)


@bp.get("/<id:webhook_id>")
@requires("admin", session_only=True)
def show(webhook_id: int) -> Response:
    """Show a webhook with what was sent to it last."""
    return show_webhook(found(webhook_id))


@bp.post("/<id:webhook_id>")
@requires("admin", session_only=True)
def change(webhook_id: int) -> Response:
    """Change a webhook, or show the error."""
    endpoint = found(webhook_id)
    return act_or_show(
        lambda: webhooks.change(
            endpoint,
            **WebhookFormSchema().load(form_body(lists=TYPES)),
            gate=Gate(*settings().outbound),
            **acting(),
        ),
        url_for(".show", webhook_id=webhook_id),
        lambda problem: show_webhook(endpoint, problem),
    )


@bp.post("/<id:webhook_id>/rotate")
@requires("admin", session_only=True)
def rotate(webhook_id: int) -> Response:
    """Sign with another secret, and show it, only now, or show the error."""
    endpoint = found(webhook_id)
    try:
        secret = webhooks.rotate(endpoint, **acting())
    except REFUSALS as error:
        return show_webhook(endpoint, problem_of(error))
    return show_webhook(endpoint, secret=secret)


@bp.post("/<id:webhook_id>/switch")
@requires("admin", session_only=True)
def switch(webhook_id: int) -> Response:
    """Let a webhook pause or go on, or show the error."""
    endpoint = found(webhook_id)
    return act_or_show(
        lambda: webhooks.switch(endpoint, **WebhookSwitchFormSchema().load(form_body()), **acting()),
        url_for(".show", webhook_id=webhook_id),
        lambda problem: show_webhook(endpoint, problem),
    )


@bp.post("/<id:webhook_id>/end")
@requires("admin", session_only=True)
def end(webhook_id: int) -> Response:
    """End a webhook for good."""
    webhooks.end(found(webhook_id), **acting())
    return redirect_to(url_for(".index"))


@bp.post("/deliveries/<id:delivery_id>/again")
@requires("admin", session_only=True)
def send_again(delivery_id: int) -> Response:
    """Send the body of a message again, or show the error."""
    delivery = webhooks.find_delivery(organization_id(), delivery_id)
    endpoint = found(delivery.endpoint_id)
    return act_or_show(
        lambda: webhooks.send_again(delivery, now=requests.now()),
        url_for(".show", webhook_id=endpoint.id),
        lambda problem: show_webhook(endpoint, problem),
    )


def found(webhook_id: int) -> Any:
    """Find a webhook of these books, or raise NotFoundError."""
    return webhooks.find(organization_id(), webhook_id)


def show_webhooks(problem: Problem | None = None) -> Response:
    """Render the webhooks, with a refused form as it was typed."""
    listed = webhooks.listed(organization_id())
    return render(
        "webhooks/index.html",
        webhooks=listed,
        names={each.id: [name for _, name, is_chosen in choices(each.types) if is_chosen] for each in listed},
        typed=request.form if problem else {"view": "THIN"},
        choices=choices(request.form.getlist("types") if problem else ["*"]),
        problem=problem,
    )


def show_webhook(endpoint: Any, problem: Problem | None = None, *, secret: str | None = None) -> Response:
    """Render a webhook, with a refused form as it was typed, or with its new secret."""
    is_typed = problem is not None and "url" in request.form
    return render(
        "webhooks/webhook.html",
        webhook=endpoint,
        deliveries=webhooks.deliveries(endpoint, SHOWN),
        typed=request.form if is_typed else {"url": endpoint.url, "view": endpoint.view},
        choices=choices(request.form.getlist("types") if is_typed else endpoint.types),
        secret=secret,
        problem=problem,
    )


def choices(chosen: Sequence[str]) -> list[tuple[str, str, bool]]:
    """List what there is to be told of: the types, their name, and whether they are chosen.

    Types that have no name here, as a program may have chosen them, follow as they are.
    """
    types = {one for each in chosen for one in each.split(",")}
    found = [(each, name, types.issuperset(each.split(","))) for each, name in CHOICES.items()]
    named = {one for each in CHOICES for one in each.split(",")}
    return found + [(each, each, True) for each in sorted(types - named)]
