"""How long an organization keeps files, and deleting those that are older: their rows stay, and say when that was."""

from datetime import datetime
from typing import Final

from webapp.ledger.titles import counted
from webapp.models import Organization
from webapp.queries.documents import retention
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import change as change_fields
from webapp.services.storage import stored_files

# Each of them is named in the trail.
MOST_AT_ONCE: Final = 500


def change(
    organization: Organization, *, retention_years: int | None, actor: Actor, now: datetime
) -> Organization:
    """Keep files for some years after the financial year in which they came, or for ever."""
    stay = "for ever" if retention_years is None else f"for {counted(retention_years, 'year')}"
    target, payload = ("organization", organization.id), {"retentionYears": retention_years}
    with act(
        actor,
        now,
        "change_retention",
        target,
        title=f"Changed how long files are kept to {stay}",
        payload=payload,
    ) as doing:
        change_fields(organization, {"retention_years": retention_years}, doing)
    return organization


def delete_old(organization: Organization, *, actor: Actor, now: datetime) -> int:
    """Delete the oldest of the files that may go, with the commit, at most `MOST_AT_ONCE`; answers how many."""
    target = ("organization", organization.id)
    with act(actor, now, "delete_old_files", target, title="Deleted old files") as doing:
        found = retention.oldest(organization, limit=MOST_AT_ONCE, now=now)
        if not found:
            doing.nothing_to_do()
            return 0
        doing.title = (
            f"Deleted {counted(len(found), 'file')} that came up to {found[-1].created_at:%-d %b %Y}"
        )
        doing.before = {
            "files": [
                {"name": each.name, "sha256": each.sha256, "createdAt": each.created_at.isoformat()}
                for each in found
            ]
        }
        doing.after = {"retentionYears": organization.retention_years}
        for each in found:
            stored_files.throw_away(each, now=now)
    return len(found)
