"""What others have done since a page was shown: asked for while the page is in view, and mostly nothing."""

from flask import Blueprint, Response, jsonify, request

from webapp.queries.audit import others_acts
from webapp.schemas.addresses import ChangesPageSchema
from webapp.web.access.auth import organization_id, principal, requires

bp = Blueprint("changes", __name__)


@bp.get("/changes")
@requires("read", is_use=False)
def index() -> Response:
    """Give the acts of others since a number of the audit chain; 304 to who has the answer with this newest act."""
    since = ChangesPageSchema.read_leniently(request.query_string.decode())["since"]
    acts = others_acts.acts_since(organization_id(), since)
    answer = jsonify(
        acts=[
            {"by": each.actor["name"], "kind": each.target_kind, "id": each.target_id}
            for each in acts
            if not others_acts.is_by(each.actor, principal().user_id)
        ]
    )
    answer.set_etag(str(acts[-1].sequence if acts else since))
    answer.make_conditional(request)
    return answer
