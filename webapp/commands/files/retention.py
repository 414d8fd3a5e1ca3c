"""The deletion of files beyond an organization's retention."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from webapp.commands.books import JSON, ORGANIZATION, answer, books, command_actor, require_organization
from webapp.database.sessions import begin_read, begin_write, db
from webapp.ledger.titles import counted
from webapp.queries.access import organizations
from webapp.queries.storage import retention as queried
from webapp.services.bookkeeping import retention


@click.command("delete-old-files")
@ORGANIZATION
@click.option("--yes", is_flag=True, help="Delete them; without it they are only counted.")
@JSON
def delete_old_files(organization_id: str, *, yes: bool, as_json: bool) -> None:
    """Count or delete the files beyond the organization's retention (Settings, Files)."""
    with books():
        begin_read()
        require_organization(organization_id)
        found = queried.old_files(organizations.get(organization_id), now=datetime.now(UTC))
        years = organizations.get(organization_id).retention_years
        db.session.rollback()
        deleted = _delete_all(organization_id) if yes else 0
    value = {
        "retentionYears": years,
        "before": found.before.isoformat() if found.before else None,
        "oldFiles": found.count,
        "deleted": deleted,
    }
    answer(value, _sentence(years, found, deleted, yes=yes), as_json=as_json)


def _delete_all(organization_id: str) -> int:
    """Delete them in several transactions, so that nobody waits long."""
    deleted = 0
    while True:
        begin_write(organization_id)
        organization, now = organizations.get(organization_id), datetime.now(UTC)
        gone = retention.delete_old(organization, actor=command_actor(organization_id), now=now)
        db.session.commit()
        deleted += gone
        if not gone:
            return deleted


def _sentence(years: int | None, found: queried.OldFiles, deleted: int, *, yes: bool) -> str:
    if years is None:
        return "Files of this organization stay for ever."
    if found.before is None:
        return "Nothing can be deleted: no period is locked, and the files of open periods stay."
    if yes:
        return f"{counted(deleted, 'file')} deleted, which came before {found.before:%-d %b %Y}."
    return (
        f"{counted(found.count, 'file')} came before {found.before:%-d %b %Y}; delete with --yes."
        if found.count
        else f"No file came before {found.before:%-d %b %Y}."
    )
