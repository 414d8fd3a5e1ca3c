"""Serve the books as `tieout serve` does, with one more address: `/api/nothing`, whose view does nothing.

    python -m benchmarks.serving.behind [--anew]

With `--anew` no answer is kept (webapp/snapshots/kept_answers.py): each is made of the books.
What that address costs more than a greeting is what every request pays: routing, who asks, limits, marks, log, session.
"""

import os
import sys

from flask import Flask, Response

from webapp import create_app
from webapp.server import serve
from webapp.snapshots import kept_answers
from webapp.web.access.auth import requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_nothing", __name__, url_prefix="/api/nothing")


@bp.get("")
@requires("read", is_frequent=True)
def nothing() -> Response:
    """Do nothing."""
    return Response("{}", content_type="application/json")


def app() -> Flask:
    """The application with the address of nothing."""
    made = create_app()
    made.register_blueprint(bp)
    return made


if __name__ == "__main__":
    if "--anew" in sys.argv:
        kept_answers.MOST_BYTES = 0
    os.umask(0o077)
    made = app()
    serve(made, made.config["SETTINGS"], "")
