"""Days as people type them: what one means, for its field, before the form is sent."""

from flask import Blueprint, Response, jsonify, request

from webapp.ledger.notation.days import read_day
from webapp.schemas.addresses import TypedDaySchema
from webapp.schemas.fields import DAY_WANTED
from webapp.web.access.auth import requires
from webapp.web.rendering.figures import day
from webapp.web.rendering.notation import notation, sentence, today

bp = Blueprint("days", __name__)


@bp.get("/days/read")
@requires("read")
def read() -> Response:
    """Give the day that a text means and how it is shown, or a sentence on how to write one."""
    found = read_day(
        TypedDaySchema.read_leniently(request.query_string.decode())["text"], today(), notation()
    )
    if found is None:
        return jsonify(problem=sentence(DAY_WANTED))
    return jsonify(day=found.isoformat(), text=day(found, notation()))
