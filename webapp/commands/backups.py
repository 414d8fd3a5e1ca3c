"""Backups of the books, and their restore."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from webapp.commands.books import JSON, answer, application, books, taken_back_on_failure
from webapp.commands.progress import progress_line
from webapp.config import make_instance
from webapp.database.command_limits import unlimited
from webapp.database.sessions import begin_read, begin_write, db
from webapp.database.tenancy import maintenance
from webapp.migrations import revisions
from webapp.queries import checks
from webapp.queries.checks.violations import Violation
from webapp.services.backups import backups, derived_rows, restores

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("file", type=FILE)
@JSON
@click.pass_context
def backup(context: click.Context, file: Path, *, as_json: bool) -> None:
    """Check the books of all organizations, and write them to FILE while people work.

    The file is always written; exit status 1 if a check found something.
    """
    with books(), progress_line() as show:
        begin_read()
        found = list(checks.violations(show))
        try:
            manifest = backups.write(
                db.session(), file, revision=revisions.head_revision(), now=datetime.now(UTC), show=show
            )
        except OSError as error:
            raise click.ClickException(f"{file} was not written: {error.strerror}.") from error
    violations = [each for each in found if not backups.is_left_out(manifest, each)]
    heads = {each["id"]: each["chainHead"] for each in manifest["organizations"]}
    rows = sum(table["rows"] for table in manifest["tables"].values())
    files, lost = manifest["files"], manifest["lostFiles"]
    sentence = f"{file}: {rows:,} rows of {len(heads)} organizations, and {files:,} files beside them."
    if lost:
        sentence += f" {len(lost):,} files are lost; tieout check names what they belong to."
    value = {
        "ok": not violations,
        "file": str(file),
        "rows": rows,
        "files": files,
        "lostFiles": lost,
        "chainHeads": heads,
        "violations": [each.as_json() for each in violations],
    }
    answer(value, "\n".join([sentence, *_findings(violations)]), as_json=as_json)
    if violations:
        context.exit(1)


def _findings(violations: Sequence[Violation]) -> list[str]:
    """Say whether a restore will accept books with these violations, and list them."""
    if not violations:
        return []
    lines = [f"{each.organization_id or '-'} {each.code}: {each.message}" for each in violations]
    if all(derived_rows.is_derived(each) for each in violations):
        return ["The file was written. A restore computes these derived rows again:", *lines]
    return ["The file was written, but a restore refuses it until these are repaired:", *lines]


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--revoke-tokens", is_flag=True, help="Revoke all API keys of the backup.")
@JSON
def restore(file: Path, *, revoke_tokens: bool, as_json: bool) -> None:
    """Restore the books of a backup into an empty database, and check every invariant.

    Derived rows, such as sums and verdicts of proofs, are computed again if they differ. Everybody is signed out.
    """
    from webapp.migrations.upgrades import upgrade  # noqa: PLC0415  (Alembic is heavy, and needed here only)

    app = application()
    make_instance(app.config["SETTINGS"].instance_path)
    with app.app_context(), unlimited(), maintenance(), progress_line() as show:
        upgrade(db.engine, show=show)
        begin_write()
        with taken_back_on_failure():
            manifest = restores.restore(
                db.session(),
                file,
                revision=revisions.head_revision(),
                revoke_tokens=revoke_tokens,
                now=datetime.now(UTC),
                show=show,
            )
            violations = [each for each in checks.violations(show) if not backups.is_left_out(manifest, each)]
            if violations:
                raise restores.NotABackupError(
                    f"The backup's books are not sound ({violations[0].message}); nothing was restored."
                )
            db.session.commit()
    names = [each["name"] for each in manifest["organizations"]]
    answer({"organizations": names}, f"Restored {', '.join(names) or 'no organization'}.", as_json=as_json)
