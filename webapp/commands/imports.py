"""Imports of bank files."""

import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import click

from webapp.commands.books import JSON, ORGANIZATION, books, command_actor, require_organization
from webapp.commands.progress import TerminalProgress
from webapp.database.sessions import begin_read, db
from webapp.ledger.errors import LedgerError
from webapp.queries.accounts import feed_accounts
from webapp.queries.imports import imports
from webapp.schemas.imports import ImportDetailSchema
from webapp.services.audit import action_requests
from webapp.services.imports import runs
from webapp.services.imports.uploads import Upload, unpacked

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=FILE)
@ORGANIZATION
@click.option(
    "--account",
    "fa_id",
    type=click.IntRange(1, 2**63 - 1),
    metavar="FAID",
    help="The feed account of a statement without a number.",
)
@click.option("--mapping", type=FILE, metavar="FILE", help="The columns of a CSV or XLSX file, as JSON.")
@click.option("--dry-run", is_flag=True, help="Say what an import would do, and leave nothing behind.")
@JSON
@click.pass_context
def import_files(
    context: click.Context,
    files: tuple[Path, ...],
    organization_id: str,
    fa_id: int | None,
    mapping: Path | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Import bank files, also in zip archives, each completely or not at all; exit status 1 if one was refused."""
    columns = _mapping(mapping)
    with books() as settings:
        _require(organization_id, fa_id)
        folder = settings.instance_path / "previews" if dry_run else None
        answers: list[dict[str, Any]] = []
        for path in files:
            for upload in unpacked([Upload(path.name, path.read_bytes(), columns, fa_id)]):
                answers.append(_import(upload, organization_id, folder))
                if not as_json:
                    click.echo(_sentence(answers[-1]))
    if as_json:
        click.echo(json.dumps(answers, ensure_ascii=False))
    if any(each["status"] == "REFUSED" for each in answers):
        context.exit(1)


def _mapping(path: Path | None) -> dict[str, object] | None:
    if path is None:
        return None
    try:
        columns = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        columns = None
    if not isinstance(columns, dict):
        raise click.UsageError(f"{path} holds no JSON object.")
    return columns


def _require(organization_id: str, fa_id: int | None) -> None:
    """Stop unless the organization exists and has the account."""
    begin_read()
    require_organization(organization_id)
    if fa_id is not None:
        try:
            feed_accounts.get(organization_id, fa_id)
        except LedgerError as error:
            existing = ", ".join(f"{each.id} ({each.name})" for each in feed_accounts.active(organization_id))
            raise click.UsageError(
                f"There is no feed account {fa_id}; there are: {existing or 'none yet'}."
            ) from error
    db.session.rollback()


def _import(upload: Upload, organization_id: str, folder: Path | None) -> dict[str, Any]:
    """Import one file, or record it as REFUSED; with a folder for waiting files, only try it and leave nothing."""
    acting: dict[str, Any] = {"actor": command_actor(organization_id), "now": datetime.now(UTC)}
    progress = TerminalProgress(upload.clean_name)
    run = runs.take if folder is None else partial(runs.preview, folder=folder)
    try:
        imported = run(upload, progress=progress, **acting)
        record = imports.detailed(organization_id, imports.record(imported))
        answer: dict[str, Any] = ImportDetailSchema().dump(record)
    finally:
        progress.end()
    # The record has the same sentences.
    action_requests.untold()
    if folder is None:
        db.session.commit()
    else:
        db.session.rollback()
        answer["id"] = None
    return answer


def _sentence(answer: dict[str, Any]) -> str:
    name = answer["fileName"]
    if answer["status"] == "REFUSED":
        return f"{name}: refused. {answer['error']}"
    verb = "would add" if answer["status"] == "PREVIEWED" else "added"
    lines = [f"{name}: {verb} {sum(each['added'] for each in answer['accounts'])}"]
    for each in answer["accounts"]:
        counts = f"{each['added']} new, {each['alreadyThere']} already there, {each['pending']} pending"
        lines.append(f"  {each['name']}: {counts}, sum {each['sum']} {each['currency']}")
    return "\n".join([*lines, *(f"  Mind: {warning}" for warning in answer["warnings"])])
