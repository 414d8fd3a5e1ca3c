"""Backups of the books, and their restore."""

import re
import stat
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import file_digest
from pathlib import Path
from typing import Any

import click

from webapp import books_alone
from webapp.commands.books import (
    JSON,
    LISTED,
    answer,
    application,
    books,
    command_actor,
    make_schema,
    taken_back_on_failure,
)
from webapp.commands.progress import progress_line
from webapp.config import Settings, make_instance
from webapp.database.command_limits import unlimited
from webapp.database.sessions import begin_read, begin_write, db
from webapp.database.tenancy import maintenance
from webapp.migrations import revisions
from webapp.queries import checks
from webapp.queries.checks.violations import Violation
from webapp.services.access import tokens
from webapp.services.backups import backups, derived_rows, records, restores
from webapp.services.backups.archives import LEAST_KEY, NotABackupError, SignedBy
from webapp.services.backups.unvouched import not_vouched_for
from webapp.services.storage import vault

FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
NAMED = re.compile(r"tieout-\d{8}T\d{12}Z\.zip")
MONTH_END = len("tieout-202611")
MOST_KEY = 4096
_LOOK = "Nothing here can tell whether somebody changed these; look at them:"
_SIGNED = {
    SignedBy.KEY: "It is signed with your key.",
    SignedBy.UNKNOWN: f"It is signed, which was not compared with a key (--key-file). {_LOOK}",
    SignedBy.NOBODY: f"It is not signed. {_LOOK}",
}


def _printable(text: str) -> str:
    """Show a text of a stranger's file on a terminal, which obeys what is not printed."""
    return "".join(letter if letter.isprintable() else "�" for letter in text)


def _key(_context: click.Context, _option: click.Parameter, path: Path | None) -> bytes | None:
    """Read a key that only its owner may read."""
    if path is None:
        return None
    if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise click.BadParameter(f"Other users of this machine may read {path}. Run: chmod 600 {path}")
    with path.open("rb") as file:
        key = file.read(MOST_KEY).strip()
    if len(key) < LEAST_KEY:
        raise click.BadParameter(f"{path} is shorter than {LEAST_KEY} bytes. Make one: openssl rand -hex 32")
    return key


KEY_FILE = click.option(
    "--key-file",
    "key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    callback=_key,
    help="The file of the secret that signs backups.",
)


@click.command()
@click.argument("file", type=FILE, required=False)
@click.option(
    "--to", "folder", type=FOLDER, help="Write a file that is named by its instant into this folder."
)
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --to: delete all but the newest N and the newest of each month.",
)
@click.option("--verify", is_flag=True, help="Restore the file into a place of its own, and compare.")
@KEY_FILE
@JSON
@click.pass_context
def backup(
    context: click.Context,
    file: Path | None,
    *,
    folder: Path | None,
    keep: int | None,
    verify: bool,
    key: bytes | None,
    as_json: bool,
) -> None:
    """Check the books of all organizations, and write them to FILE while people work.

    The file is always written; exit status 1 if a check found something. Keep its SHA-256 elsewhere, or sign it.
    """
    if (file is None) == (folder is None) or (keep is not None and folder is None):
        raise click.UsageError("Name a FILE, or a folder with --to, which --keep belongs to.")
    file = file or (folder or Path()) / f"tieout-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}.zip"
    with books() as settings, progress_line() as show:
        value, sentence = _written(file, key, show)
        db.session.rollback()
        now = datetime.now(UTC)
        if verify:
            show("restoring the backup")
            _verify(file, key)
            sentence += "\nRestored into a place of its own: it is complete, and its books are sound."
        records.note(settings.instance_path, **dict.fromkeys(("made", "verified")[: 1 + verify], now))
    deleted = _thinned(folder, keep) if folder is not None and keep is not None else []
    value |= {"verified": verify, "deleted": [str(path) for path in deleted]}
    answer(value, sentence, as_json=as_json)
    if not value["ok"]:
        context.exit(1)


def _thinned(folder: Path, keep: int) -> list[Path]:
    """Delete the backups of a folder but the newest, and the newest of each month; files of other names stay."""
    found = sorted((path for path in folder.iterdir() if NAMED.fullmatch(path.name)), reverse=True)
    months = {path.name[:MONTH_END]: path for path in reversed(found)}
    gone = [path for path in found[keep:] if path not in months.values()]
    for path in gone:
        path.unlink()
    return gone


def _verify(file: Path, key: bytes | None) -> None:
    """Restore a backup into a database of its own, which goes again; raises NotABackupError."""
    with tempfile.TemporaryDirectory(prefix="tieout-verify-") as folder:
        place = Path(folder)
        app = books_alone(Settings(f"sqlite:///{place / 'tieout.sqlite'}", place))
        with app.app_context():
            try:
                make_schema(backups.to_nobody)
                _brought_back(file, key, backups.to_nobody)
            finally:
                db.session.rollback()
                db.engine.dispose()


def _written(file: Path, key: bytes | None, show: backups.Show) -> tuple[dict[str, Any], str]:
    """Write the books to a file; answers what it holds, for programs and for people."""
    begin_read()
    found = list(checks.violations(show))
    try:
        manifest = backups.write(
            db.session(),
            file,
            revision=revisions.head_revision(),
            now=datetime.now(UTC),
            key=key,
            show=show,
        )
        with file.open("rb") as written:
            digest = file_digest(written, "sha256").hexdigest()
    except OSError as error:
        raise click.ClickException(f"{file} was not written: {error.strerror}.") from error
    violations = [each for each in found if not backups.is_left_out(manifest, each)]
    heads = {each["id"]: each["chainHead"] for each in manifest["organizations"]}
    rows = sum(table["rows"] for table in manifest["tables"].values())
    files, lost = manifest["files"], manifest["lostFiles"]
    sentence = f"{file}: {rows:,} rows of {len(heads)} organizations, and {files:,} files beside them."
    if lost:
        sentence += f" {len(lost):,} files are lost; tieout check names what they belong to."
    if manifest["tables"]["secrets"]["rows"]:
        sentence += f"\nThe key of its secrets is not in it: keep a copy of {vault.key_path()} elsewhere."
    sentence += f"\n{'Signed. ' if key else ''}SHA-256 {digest}"
    value = {
        "ok": not violations,
        "file": str(file),
        "sha256": digest,
        "signed": key is not None,
        "rows": rows,
        "files": files,
        "lostFiles": lost,
        "chainHeads": heads,
        "violations": [each.as_json() for each in violations],
    }
    return value, "\n".join([sentence, *_findings(violations)])


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
@KEY_FILE
@JSON
def restore(file: Path, *, revoke_tokens: bool, key: bytes | None, as_json: bool) -> None:
    """Restore the books of a backup into an empty database, and check every invariant.

    Derived rows, such as sums and verdicts of proofs, are computed again if they differ. Everybody is signed out.
    Without the key that signed the backup, it lists what no check can vouch for.
    """
    app = application()
    make_instance(app.config["SETTINGS"].instance_path)
    with app.app_context(), unlimited(), maintenance(), progress_line() as show:
        make_schema(show)
        with taken_back_on_failure(), restores.refused():
            restored = _brought_back(file, key, show)
            manifest = restored.manifest
            if revoke_tokens:
                tokens.revoke_all(command_actor, datetime.now(UTC))
            is_ours = restored.signed is SignedBy.KEY
            doubted = {} if is_ours else not_vouched_for(db.session(), restored)
            db.session.commit()
    names = [_printable(each["name"]) for each in manifest["organizations"]]
    value = {"organizations": names, "signed": restored.signed.value, "notVouchedFor": doubted}
    lines = [f"Restored {', '.join(names) or 'no organization'}.", _SIGNED[restored.signed]]
    for kind, facts in doubted.items():
        lines += [f"{kind}:".capitalize(), *(f"  {_printable(fact)}" for fact in facts[:LISTED])]
        lines += [f"  and {len(facts) - LISTED:,} more; --json lists all"] if facts[LISTED:] else []
    answer(value, "\n".join(lines), as_json=as_json)


def _brought_back(file: Path, key: bytes | None, show: backups.Show) -> restores.Restored:
    """Restore a backup into the empty tables of the application, and check it; the caller commits."""
    begin_write()
    restored = restores.restore(
        db.session(), file, revision=revisions.head_revision(), now=datetime.now(UTC), key=key, show=show
    )
    for each in checks.violations(show):
        if not backups.is_left_out(restored.manifest, each):
            raise NotABackupError(f"The backup's books are not sound ({each.message}); nothing was restored.")
    return restored
