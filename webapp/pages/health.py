"""Whether the service is alive, whether it is ready, and what it measures of itself."""

import time
from hmac import compare_digest

import sqlalchemy as sa
from flask import Blueprint, Response, current_app, request
from werkzeug.exceptions import NotFound

from webapp.config import Settings, UnsafeSettingError, is_loopback
from webapp.database import measures
from webapp.database.postgresql import weaknesses
from webapp.database.roles import refusal
from webapp.database.sessions import begin_read, db
from webapp.migrations import revisions
from webapp.queries.access import jobs
from webapp.queries.reconciliation import proof_breaks
from webapp.web.access.auth import PUBLIC, requires, settings

bp = Blueprint("health", __name__)
TEXT = "text/plain; version=0.0.4; charset=utf-8"
#: The questions to all books, which are asked again after so many seconds.
KEPT_SECONDS = 10.0
KEPT = "counts_of_books"
COUNTED = {
    "tieout_broken_proofs": ("Proofs that do not hold, in all books.", proof_breaks.count_in_all_books),
    "tieout_failed_jobs": ("Jobs that failed, in all books.", jobs.count_failed_in_all_books),
}
#: What a proxy adds, also one that nobody told us of.
PASSED_ON = ("x-forwarded", "forwarded", "x-real-ip", "via")


@bp.get("/healthz")
@requires(PUBLIC)
def alive() -> Response:
    """Answer ok while the process answers at all."""
    return Response("ok\n", content_type="text/plain; charset=utf-8")


@bp.get("/readyz")
@requires(PUBLIC)
def ready() -> Response:
    """Answer ok when the database can be read and has this program's revision, else a code with 503.

    Books that are served, but less safely than they should be, have a code in the header `X-Degraded`.
    """
    code = state_of_books()
    headers = {"Retry-After": "5"}
    if code == "ok":
        found = weaknesses(db.session.connection())
        headers = {"X-Degraded": ", ".join(found)} if found else {}
    return Response(
        f"{code}\n", 200 if code == "ok" else 503, headers, content_type="text/plain; charset=utf-8"
    )


def state_of_books() -> str:
    """`ok`, `migration_pending`, `database_unsafe` or `database_unavailable`."""
    try:
        begin_read()
        if refusal(db.session.connection()) is not None:
            return "database_unsafe"
        is_current = revisions.current_revision(db.engine) == revisions.head_revision()
    except UnsafeSettingError:
        db.session.rollback()
        return "database_unsafe"
    except sa.exc.SQLAlchemyError:
        db.session.rollback()
        return "database_unavailable"
    return "ok" if is_current else "migration_pending"


@bp.get("/metrics")
@requires(PUBLIC)
def measured() -> Response:
    """Answer what this server measures, to a program on this machine or with the token, else 404."""
    if not _may_read(settings()):
        raise NotFound
    limit = settings().most_connections
    asked = [("tieout_database_connections_limit", "Connections that the workers may open.", limit)]
    asked += [(name, COUNTED[name][0], count) for name, count in _counts().items()]
    return Response(measures.exposition(asked), content_type=TEXT)


def _may_read(found: Settings) -> bool:
    sent, token = request.authorization, found.metrics_token.encode()
    if (
        sent is not None
        and sent.type == "bearer"
        and token
        and compare_digest((sent.token or "").encode(), token)
    ):
        return True
    passed_on = any(name.lower().startswith(PASSED_ON) for name, _ in request.headers)
    return bool(found.metrics) and not passed_on and is_loopback(request.remote_addr or "")


def _counts() -> dict[str, int]:
    """Count what is wrong in all books, or give the counts of a moment ago; none while the books cannot be asked."""
    kept: tuple[float, dict[str, int]] = current_app.extensions.get(KEPT, (0.0, {}))
    if not kept[0] or time.monotonic() > kept[0] + KEPT_SECONDS:
        try:
            begin_read()
            counts = {name: count() for name, (_, count) in COUNTED.items()}
        except (UnsafeSettingError, sa.exc.SQLAlchemyError):
            db.session.rollback()
            counts = {}
        kept = current_app.extensions[KEPT] = (time.monotonic(), counts)
    return kept[1]
