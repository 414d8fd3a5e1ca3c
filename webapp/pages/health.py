"""Health checks: whether the service is alive, and whether it is ready."""

from __future__ import annotations

import sqlalchemy as sa
from flask import Blueprint, Response

from webapp import migrations
from webapp.db import begin_read, db
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
    """Answer ok when the database can be read and has this program's revision, else a code with 503."""
    code = state_of_books()
    headers = {} if code == "ok" else {"Retry-After": "5"}
    return Response(
        f"{code}\n", 200 if code == "ok" else 503, headers, content_type="text/plain; charset=utf-8"
    )


def state_of_books() -> str:
    """`ok`, `migration_pending` or `database_unavailable`."""
    try:
        begin_read()
        db.session.execute(sa.text("SELECT 1"))
        is_current = migrations.current_revision(db.engine) == migrations.head_revision()
    except sa.exc.SQLAlchemyError:
        db.session.rollback()
        return "database_unavailable"
    return "ok" if is_current else "migration_pending"
