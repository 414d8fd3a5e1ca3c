"""Keeping a copy of the books, and bringing one back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from webapp import migrations
from webapp.commands.books import JSON, answer, application, books
from webapp.config import make_instance
from webapp.db import begin_read, begin_write, db
from webapp.ledger.errors import LedgerError
from webapp.queries import checks
from webapp.services.backups import backups, restores

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("file", type=FILE)
@JSON
def backup(file: Path, *, as_json: bool) -> None:
    """Write the books of every organization to FILE while everybody goes on working."""
    with books():
        begin_read()
        try:
            manifest = backups.write(
                db.session(), file, revision=migrations.head_revision(), now=datetime.now(UTC)
            )
        except OSError as error:
            raise click.ClickException(f"{file} was not written: {error.strerror}.") from error
    heads = {each["id"]: each["chainHead"] for each in manifest["organizations"]}
    rows = sum(table["rows"] for table in manifest["tables"].values())
    files, lost = manifest["files"], manifest["lostFiles"]
    sentence = f"{file}: {rows:,} rows of {len(heads)} organizations, and {files:,} files beside them."
    if lost:
        sentence += f" {len(lost):,} files are lost; tieout check names what they belong to."
    value = {"file": str(file), "rows": rows, "files": files, "lostFiles": lost, "chainHeads": heads}
    answer(value, sentence, as_json=as_json)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--revoke-tokens", is_flag=True, help="Revoke all API keys of the backup.")
@JSON
def restore(file: Path, *, revoke_tokens: bool, as_json: bool) -> None:
    """Bring the books of a backup into an empty database, and check every invariant of them.

    Everybody signs in anew.
    """
    app = application()
    make_instance(app.config["SETTINGS"].instance_path)
    with app.app_context():
        migrations.upgrade(db.engine)
        begin_write()
        try:
            manifest = restores.restore(
                db.session(),
                file,
                revision=migrations.head_revision(),
                revoke_tokens=revoke_tokens,
                now=datetime.now(UTC),
            )
            violations = [each for each in checks.violations() if not backups.was_lost(manifest, each)]
            if violations:
                raise restores.NotABackupError(
                    f"The backup's books are not sound ({violations[0].message}); nothing was restored."
                )
        except LedgerError as error:
            db.session.rollback()
            raise click.ClickException(str(error)) from error
        db.session.commit()
    names = [each["name"] for each in manifest["organizations"]]
    answer({"organizations": names}, f"Restored {', '.join(names) or 'no organization'}.", as_json=as_json)
