"""A backup that somebody made up: whatever its texts are, nothing is written outside, and its size is bounded."""

import gzip
import json
import os
import re
import sys
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_sqlite
from webapp import create_app
from webapp.database.column_types import Exact, Instant
from webapp.database.sessions import begin_write, db
from webapp.database.tenancy import maintenance
from webapp.ledger.errors import LedgerError
from webapp.migrations.revisions import head_revision
from webapp.models import Organization
from webapp.queries import checks
from webapp.queries.checks import stored_files
from webapp.services.backups import archives, backups, restores
from webapp.services.backups.rows import tables
from webapp.services.storage import arriving_files

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
STEPS_UP = "../../../outside/x.pth"
# More than any column of a limited length takes.
LONG = "x" * 100_000
EMPTY = (None, [], {})
# No row of `bulk_turns` stays to the end of an act.
HAVE_ROWS = [table for table in tables() if table.name != "bulk_turns"]
TEXTS = [
    (table.name, place, column)
    for table in HAVE_ROWS
    for place, column in enumerate(table.columns)
    if isinstance(column.type, (sa.String, sa.JSON))
]
# What a row that was made up has in a column of a type.
VALUES = (
    (sa.Boolean, False),
    (sa.Integer, 1),
    ((Exact, sa.LargeBinary), "1000"),
    (Instant, "2026-10-02T10:00:00+00:00"),
    (sa.Date, "2026-10-02"),
    (sa.JSON, {}),
    (sa.String, "EUR"),
)
# What two columns of such a row have together.
PAIRS = {"transfer_pairs": {"other_id": 2}, "declined_relations": {"transaction_id": 1}}
WRITING = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate"}


class Watched:
    """What Python opens for writing, moves or removes while it is on."""

    def __init__(self) -> None:
        self.is_on, self.paths = False, []
        sys.addaudithook(self._hear)

    def _hear(self, event, words):
        if not self.is_on:
            return
        if event in WRITING or (event == "open" and words[2] & (os.O_WRONLY | os.O_RDWR)):
            # The mode of an opened file is a text, too.
            named = words[:1] if event == "open" else words
            self.paths += [os.fsdecode(each) for each in named if isinstance(each, (str, bytes))]

    def outside(self, folder):
        named = {Path(each) for each in self.paths}
        return {
            path for path in named if not path.resolve().is_relative_to(folder) and path != Path("/dev/null")
        }


@pytest.fixture(scope="module")
def watched():
    return Watched()


@pytest.fixture
def attempt(house, tmp_path, watched):
    """Restore a file, use what comes of it, and take it back.

    Answers the codes of what was found in it, or None where it was refused in words, and what was written outside.
    """
    instance = tmp_path / "deep" / "in" / "restored"
    instance.mkdir(parents=True)
    house.store.copy("migrated", "restored")
    app = create_app(
        replace(house.settings, database_url=house.store.url("restored"), instance_path=instance)
    )
    with app.app_context():
        # Opens the lock of the file, which is next to it.
        begin_write()
        db.session.rollback()
        # The statements of all checks are more than an engine remembers.
        db.engine.update_execution_options(compiled_cache={})

    def run(path):
        watched.paths, watched.is_on = [], True
        try:
            return _restored(app, path, instance), watched.outside(instance)
        finally:
            watched.is_on = False

    yield run
    with app.app_context():
        db.engine.dispose()
    house.store.drop("restored")


def _restored(app, path, instance):
    with app.app_context(), maintenance():
        begin_write()
        try:
            with restores.refused():
                restores.restore(db.session(), path, revision=head_revision(), now=NOW)
                found = {each.code for each in checks.violations()}
            for organization_id in db.session.scalars(sa.select(Organization.id)):
                arriving_files.sweep(organization_id, now=NOW)
            backups.write(db.session(), instance / "again.zip", revision=None, now=NOW)
            (instance / "again.zip").unlink()
        except LedgerError:
            return None
        else:
            return found
        finally:
            db.session.rollback()


def rebuilt(path, changes, added=()):
    """Rebuild a backup with other rows and members, and with the sums that belong to them."""
    other = path.with_name("rebuilt.zip")
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(other, "w", zipfile.ZIP_DEFLATED) as written:
        manifest = json.loads(archive.read("manifest.json"))
        for name in set(archive.namelist()) - {"manifest.json"}:
            data = archive.read(name)
            if name in changes:
                data = changes[name](data)
                facts = manifest["tables"][name.removesuffix(".jsonl")]
                facts |= {"rows": data.count(b"\n"), "sha256": sha256(data).hexdigest()}
            written.writestr(name, data)
        for name in added:
            written.writestr(name, b"import os")
        written.writestr("manifest.json", json.dumps(manifest))
    return other


def in_column(place, text, filling=None):
    """Change a column of each row: a text, or every text in a JSON value.

    Where no row has one, the first row gets `filling`.
    """

    def changed(value):
        if isinstance(value, str):
            return text
        if isinstance(value, list):
            return [changed(each) for each in value]
        return {key: changed(each) for key, each in value.items()} if isinstance(value, dict) else value

    def change(data):
        rows = [json.loads(line) for line in data.splitlines()]
        if filling is not None and all(row[place] in EMPTY for row in rows):
            rows[0][place] = filling
        else:
            for row in rows:
                row[place] = changed(row[place])
        return lines_of(rows)

    return change


def lines_of(rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def filled(path, organization_id):
    """Rebuild a backup with a row in each table that had none; answers it, and the names of these tables."""
    with zipfile.ZipFile(path) as archive:
        rows = {
            table.name: [json.loads(line) for line in archive.read(f"{table.name}.jsonl").splitlines()]
            for table in HAVE_ROWS
        }
    empty = [table for table in HAVE_ROWS if not rows[table.name]]
    for table in empty:
        rows[table.name] = [made_up(table, rows, organization_id)]
    changes = {f"{table.name}.jsonl": lambda _, own=rows[table.name]: lines_of(own) for table in empty}
    return rebuilt(path, changes).rename(path.with_name("filled.zip")), {table.name for table in empty}


def made_up(table, rows, organization_id):
    """Make a row that its table takes: it refers to first rows of the organization, and what may be null is."""
    checks_of = " AND ".join(
        str(each.sqltext) for each in table.constraints if isinstance(each, sa.CheckConstraint)
    )
    values = {}
    for column in table.columns:
        plain = next(value for kind, value in VALUES if isinstance(column.type, kind))
        if named := re.search(rf"\b{column.name} IN \('(\w+)", checks_of):
            plain = named[1]
        values[column.name] = None if column.nullable else plain
    for key in table.foreign_key_constraints:
        if not any(column.nullable for column in key.columns):
            others = rows[key.referred_table.name]
            row = next((each for each in others if organization_id in each), others[0])
            there = dict(zip(key.referred_table.columns.keys(), row, strict=True))
            values |= {each.parent.name: there[each.column.name] for each in key.elements}
    return [*(values | PAIRS.get(table.name, {})).values()]


def test_no_text_of_a_backup_leads_outside(
    books_of_all_kinds,
    backed_up,
    attempt,
    ada,
    tmp_path,
    portion,
    figure,
):
    paths = STEPS_UP, f"{tmp_path}/outside/x.pth"
    chosen = portion(400, [(*column, text) for column in TEXTS for text in paths])
    is_sound = tried_all(chosen, backed_up(), attempt, ada)
    figure("E1", f"{len(is_sound)} paths in {len(TEXTS)} columns, {sum(is_sound)} sound, 0 files outside")


def test_no_database_takes_a_text_that_the_other_one_refuses(
    books_of_all_kinds, backed_up, attempt, ada, portion, figure
):
    """PostgreSQL has no text with U+0000, and none that is longer than its column."""
    chosen = portion(400, [(*column, text) for column in TEXTS for text in ("a\0b", LONG)])
    is_sound = tried_all(chosen, backed_up(), attempt, ada)
    for (table, _, column, text), sound in zip(chosen, is_sound, strict=True):
        is_limited = isinstance(column.type, sa.String) and (text != LONG or column.type.length)
        assert not (sound and is_limited), (table, column.name, text[:9])
    figure("E1", f"{len(is_sound)} odd texts in {len(TEXTS)} columns, {sum(is_sound)} sound, 0 files outside")


def tried_all(chosen, whole, attempt, ada):
    """Restore a backup once for each text in a column, and answer which of these were sound."""
    sound = []
    full, were_empty = filled(whole, ada.organization_id)
    found, outside = attempt(full)
    assert found, "both databases take the rows that were made up, and checks find them"
    assert outside == set()
    for table, place, column, text in chosen:
        added = [f"proposals/{text}", f"files/{ada.organization_id}/{text}", f"files/{text}"]
        filling = {text: text} if isinstance(column.type, sa.JSON) else text
        change = {f"{table}.jsonl": in_column(place, text, filling)}
        backup = full if table in were_empty else whole
        found, outside = attempt(rebuilt(backup, change, () if text in {"a\0b", LONG} else added))
        assert outside == set(), (table, column.name, text[:40])
        sound.append(found == set())
    return sound


def test_the_file_of_a_proposal_is_named_as_ours_are(books_of_all_kinds, backed_up, attempt):
    table, whole = next(each for each in tables() if each.name == "proposals"), backed_up()
    for text in (STEPS_UP, "/x.pth"):
        change = in_column([*table.columns.keys()].index("form"), text)
        path = rebuilt(whole, {"proposals.jsonl": change}, [f"proposals/{text}"])
        assert attempt(path) == (None, set()), text


@on_sqlite
def test_an_organization_with_a_path_for_its_id_is_refused(books_of_all_kinds, backed_up, attempt, ada):
    own = ada.organization_id.encode()
    change = dict.fromkeys(
        (f"{each.name}.jsonl" for each in tables()), lambda data: data.replace(own, b"../../x")
    )
    assert attempt(rebuilt(backed_up(), change)) == (None, set())


def test_sums_of_books_that_are_not_there_are_refused(books_of_all_kinds, backed_up, attempt):
    """Also on SQLite, which writes them anew before it looks at foreign keys."""
    table, whole = next(each for each in tables() if each.name == "day_sums"), backed_up()
    change = in_column([*table.columns.keys()].index("organization_id"), "org_1")
    assert attempt(rebuilt(whole, {"day_sums.jsonl": change})) == (None, set())


@on_sqlite
@pytest.mark.parametrize(
    ("member", "sentence"),
    [
        ("manifest.json", "manifest.json is larger than any"),
        ("manifest.hmac", "manifest.hmac is larger than any"),
        ("organizations.jsonl", "more than 2 times its size"),
        ("files/x", "more than 2 times its size"),
    ],
)
def test_a_small_file_that_would_fill_the_machine_is_refused(
    backed_up, restored, monkeypatch, member, sentence
):
    assert (archives.MOST_TIMES, archives.ALWAYS) == (100, 256 * 1024**2)
    assert archives.MOST_MANIFEST == 64 * 1024**2
    is_of_manifest = member.startswith("manifest")
    monkeypatch.setattr(archives, "MOST_MANIFEST", 100_000)
    monkeypatch.setattr(archives, "MOST_TIMES", 2000 if is_of_manifest else 2)
    monkeypatch.setattr(archives, "ALWAYS", 200_000)
    whole, bomb = backed_up(), {member: bytes(1_000_000)}
    with zipfile.ZipFile(whole) as archive:
        members = {name: archive.read(name) for name in archive.namelist()} | bomb
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    result = restored("restore", str(whole))
    assert (result.exit_code, sentence in result.stderr) == (1, True), result.stderr


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_stored_file_is_read_as_far_as_any_is_long(monkeypatch, is_whole):
    packed, digest = gzip.compress(bytes(1_000_000)), sha256(bytes(1_000_000)).hexdigest()
    monkeypatch.setattr(stored_files, "MOST_BYTES", 1_000_000 if is_whole else 999_998)
    found = stored_files.problem_with(packed, digest, is_compressed=True)
    assert (found is None) == is_whole


@on_sqlite
def test_rows_and_figures_that_no_backup_has_are_refused_in_words(books_of_all_kinds, backed_up, restored):
    whole = backed_up()
    for data in (b"[]\n", b"{}\n", b"null\n", b"[" * 100_000 + b"\n", b"[1e999]\n", b"\xff\n", b"1\n2,3\n"):
        path = rebuilt(whole, {"organizations.jsonl": lambda _data, data=data: data})
        result = restored("restore", str(path))
        assert (result.exit_code, "nothing was restored" in result.stderr) == (1, True), result.stderr
