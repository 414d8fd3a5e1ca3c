"""Health checks: whether the service is alive, and whether it is ready."""

import sqlalchemy as sa
from flask import Blueprint, Response

from webapp.config import UnsafeSettingError
from webapp.database.postgresql import weaknesses
from webapp.database.roles import refusal
from webapp.database.sessions import begin_read, db
from webapp.migrations import revisions
from webapp.web.access.auth import PUBLIC, requires

bp = Blueprint("health", __name__)


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
