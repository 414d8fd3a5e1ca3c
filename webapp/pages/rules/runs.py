"""Rule runs: the list, a run field by field, and its undo."""

from flask import Blueprint, Response, request, url_for

from webapp import queries, services
from webapp.pages.rules.previews import lines_address
from webapp.schemas.addresses import RunsPageSchema
from webapp.web import paging
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.rendering import rule_wording
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

bp = Blueprint("rule_runs", __name__, url_prefix="/rules/runs")


@bp.get("")
@requires("read")
def index() -> Response:
    """Show the runs of rules, newest first."""
    query = RunsPageSchema.read_leniently(request.query_string.decode())
    after = paging.decode(query.pop("cursor"), "i")
    page = queries.rules.runs.listed(organization_id(), after=after, **query)
    return render(
        "rules/runs/index.html",
        runs=page.items,
        acts=queries.audit.action_requests.by_ids(
            organization_id(), [run.action_request_id for run in page.items]
        ),
        words=rule_wording,
        next_cursor=paging.encode(page.next_key),
        is_first=after is None,
    )


@bp.get("/<id:run_id>")
@requires("read")
def show(run_id: int) -> Response:
    """Show what one run changed, field by field."""
    return show_run(run_id)


@bp.get("/<id:run_id>/undo")
@requires("draft", is_heavy=True)
def ask(run_id: int) -> Response:
    """Show the fields that an undo would not restore, before it is done."""
    run = queries.rules.runs.get(organization_id(), run_id)
    if run.undone_at is not None:
        return redirect_to(url_for("rule_runs.show", run_id=run_id))
    kept = services.rules.run_undos.would_keep(run)
    return show_run(run_id, kept=kept)


@bp.post("/<id:run_id>/undo")
@requires("draft", is_heavy=True)
def undo(run_id: int) -> Response:
    """Undo a run, or show the error."""
    try:
        services.rules.run_undos.undo(queries.rules.runs.get(organization_id(), run_id), **acting())
    except REFUSALS as error:
        return show_run(run_id, problem=problem_of(error))
    return redirect_to(url_for("rule_runs.show", run_id=run_id))


def show_run(
    run_id: int,
    *,
    kept: list[services.rules.run_undos.UnrestoredField] | None = None,
    problem: Problem | None = None,
) -> Response:
    """Render a run, and before an undo the fields that it would not restore."""
    query = RunsPageSchema.read_leniently(request.query_string.decode())
    after = paging.decode(query.pop("cursor"), "i")
    run = queries.rules.runs.get(organization_id(), run_id)
    page = queries.rules.run_diffs.items(run, after=after, **query)
    acts = queries.audit.action_requests.by_ids(organization_id(), [run.action_request_id, run.undone_by])
    return render(
        "rules/runs/show.html",
        run=run,
        act=acts.get(run.action_request_id),
        undone=acts.get(run.undone_by or ""),
        changes=page.items,
        kept=None if kept is None else queries.rules.run_diffs.untouched_items(organization_id(), kept),
        kept_count=len(kept or ()),
        words=rule_wording,
        next_cursor=paging.encode(page.next_key),
        is_first=after is None,
        lines_address=lines_address(request.args.get("back")),
        problem=problem,
    )
