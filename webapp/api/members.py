"""Members of the books over JSON."""

from typing import Any

from webapp import queries, services
from webapp.schemas.access import MemberSchema, MembershipEndSchema, MembersSchema
from webapp.schemas.paging import changing, wrapped
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_members", __name__, url_prefix="/api/members", description="Members")


@bp.get("")
@requires("read")
@bp.response(200, MembersSchema)
def listed() -> dict[str, Any]:
    """List the members with their roles and last days, the earliest first."""
    return {"members": queries.access.organizations.member_records(organization_id(), requests.now())}


@bp.patch("/<id:user_id>")
@requires("admin", session_only=True)
@bp.arguments(MembershipEndSchema)
@bp.response(200, changing(wrapped("member", MemberSchema)))
def update(body: dict[str, Any], user_id: int) -> dict[str, Any]:
    """Set the last day of a membership, or let it go on; only somebody who signed in may."""
    member = services.access.organizations.end_membership(organization_id(), user_id, **body, **acting())
    return {"member": queries.access.organizations.record(member, requests.now())}
