"""Migrations run both ways on both databases, and end where the models are."""

import contextlib
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from tests.api.imports.test_imports import MARCH, counted, imported
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.feeds import line
from tests.fixtures.helpers.documents import DOCUMENTS, filed, pdf, sent
from webapp.database.sessions import Base, prepare_engine
from webapp.migrations.revisions import VERSIONS, current_revision, head_revision
from webapp.migrations.shapes import SECRETS, shaped
from webapp.migrations.upgrades import downgrade, upgrade
from webapp.models.base import Organized
from webapp.queries import checks

pytestmark = pytest.mark.operates


@pytest.fixture
def engine(empty_database_url):
    """An engine on a database that has no tables yet."""
    options = {}
    if empty_database_url.startswith("sqlite"):
        import pysqlite3  # noqa: PLC0415  (as the application does)

        options["module"] = pysqlite3
    engine = sa.create_engine(empty_database_url, **options)
    prepare_engine(engine)
    yield engine
    engine.dispose()


def is_of_models(name, kind, _parents):
    """Whether the models know it: not the words of lines and documents, which each engine indexes in its own way."""
    own = ("line_words", "ix_transactions_words", "document_texts", "ix_documents_texts")
    return not (kind in {"table", "index"} and name.startswith(own))


def differences(engine):
    with engine.connect() as connection:
        opts = {"compare_type": True, "include_name": is_of_models}
        context = MigrationContext.configure(connection, opts=opts)
        return compare_metadata(context, shaped(Base.metadata, engine.name))


def test_migrations_end_where_the_models_are(engine):
    upgrade(engine)
    assert current_revision(engine) == head_revision()
    assert differences(engine) == []


def test_the_revision_that_is_expected_is_that_of_the_last_step():
    assert head_revision() == ScriptDirectory(VERSIONS.parent).get_current_head()


def test_migrations_run_both_ways(engine):
    upgrade(engine)
    downgrade(engine)
    assert set(sa.inspect(engine).get_table_names()) == {"alembic_version"}
    upgrade(engine)
    assert differences(engine) == []


def test_migrating_books_that_are_up_to_date_changes_nothing(engine):
    upgrade(engine)
    upgrade(engine)
    assert current_revision(engine) == head_revision()


def test_a_database_without_tables_has_no_revision(engine):
    assert current_revision(engine) is None


def test_keys_of_lines_are_written_short_and_whole_again(ben, session):
    imported(ben, bank_file(*MARCH[:2], Line("2026-03-05", "-3.00", pending=True)))
    engine = session.get_bind()
    before = keys(session)
    session.rollback()
    session.close()
    downgrade(engine, "0006")
    whole = keys(session)
    assert {len(key) for key in whole} == {64}
    session.rollback()
    upgrade(engine)
    assert keys(session) == before
    assert counted(imported(ben, bank_file(*MARCH[:2]))) == [(0, 2, 0, 0)]


def keys(session):
    return session.scalars(sa.text("SELECT line_key FROM transactions ORDER BY id")).all()


def rows(session, *tables):
    """Every row of tables and the last id of each, read past the models."""
    inspector = sa.inspect(session.connection())
    found = {}
    for table in tables:
        columns = [column["name"] for column in inspector.get_columns(table)]
        listed = session.execute(
            sa.select(sa.text("*")).select_from(sa.table(table)).order_by(sa.text("1, 2, 3"))
        )
        found[table] = (columns, [tuple(row) for row in listed], last_id(session, table))
    session.rollback()
    return found


def last_id(session, table):
    if table == "feed_lines":
        return None
    if session.connection().dialect.name == "postgresql":
        return session.scalar(sa.select(sa.column("last_value")).select_from(sa.table(f"{table}_id_seq")))
    return session.scalar(sa.text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": table})


def constraints(engine, table):
    inspector = sa.inspect(engine)
    found = [*inspector.get_check_constraints(table), *inspector.get_unique_constraints(table)]
    return {each["name"] for each in [*found, *inspector.get_foreign_keys(table)]}


def test_renamed_columns_keep_what_they_hold_in_both_directions(ben, feed, session):
    feed.push("one", added=[line("A1"), line("A2", "-3.00")])
    feed.push("two", modified=[line("A1", description="Coffee Bar Nero")], removed=["A2"])
    filed(ben, sender="Hetzner", total="119.00", currency="USD", accountId=None)
    engine = session.get_bind()
    session.rollback()
    tables = ["feed_lines", "feed_pushes", "documents", "feed_accounts"]
    # Older books know nothing of the bodies of pushes that stay, and their columns came in another order.
    session.close()
    downgrade(engine, "0057")
    before, names = rows(session, *tables), {table: constraints(engine, table) for table in tables}
    session.close()
    downgrade(engine, "0020")
    events = sa.text("SELECT provider_transaction_id, said FROM feed_lines ORDER BY 1")
    assert [tuple(row) for row in session.execute(events)] == [("A1", "MODIFIED"), ("A2", "REMOVED")]
    older = rows(session, "feed_lines", "feed_batches", "documents", "feed_accounts")
    # Columns that came later stand at the end, and are empty here.
    lengths = [len(columns) for columns, *_ in older.values()]
    earlier = [
        ([row[:length] for row in kept], last)
        for length, (_, kept, last) in zip(lengths, before.values(), strict=True)
    ]
    assert [kept[1:] for kept in older.values()] == earlier
    assert "ck_feed_lines_said_word" in constraints(engine, "feed_lines")
    session.close()
    upgrade(engine, "0057")
    assert rows(session, *tables) == before
    assert {table: constraints(engine, table) for table in tables} == names
    assert names["feed_lines"] >= {"ck_feed_lines_event_word"}
    assert all("batches" not in name for name in names["feed_pushes"])
    upgrade(engine)
    assert feed.push("two", removed=["A2"]).status_code == 409, "the push is remembered by its batchId"
    with pytest.raises(sa.exc.IntegrityError):
        session.execute(sa.text("UPDATE feed_lines SET event = 'SAID'"))


def open_folders(folder):
    """List the folders that more than their owner may enter."""
    below = [folder, *(each for each in folder.rglob("*") if each.is_dir())]
    return [each for each in below if each.stat().st_mode & 0o077]


RETAINED = "SELECT organization_id, code, name, role FROM accounts WHERE lower(name) = 'retained earnings' ORDER BY id"


def test_files_of_older_documents_get_their_names_by_their_digests_and_lose_nothing(ben, app, bank, session):
    sheet = b"day;amount\n" + b"2026-03-02;-2.50\n" * 100
    data = [pdf("of older books"), sheet]
    documents = [
        sent(ben, data=each, name=name).json["document"]
        for each, name in zip(data, ("bill.pdf", "sheet.csv"), strict=True)
    ]
    imported(ben, bank_file(*MARCH[:1]))
    folder = Path(app.instance_path)
    engine = session.get_bind()
    session.rollback()
    session.close()
    downgrade(engine, "0059")
    older = session.execute(
        sa.text("SELECT kept_file, sha256 FROM documents WHERE sha256 IS NOT NULL ORDER BY id")
    )
    names, digests = zip(*(tuple(row) for row in older), strict=True)
    assert [(folder / "documents" / name).read_bytes() for name in names] == data
    assert list(digests) == [sha256(each).hexdigest() for each in data]
    (folder / "documents" / names[1]).unlink()
    session.rollback()
    session.close()
    # The files of the demo's books, which another test may have brought, lie beside these.
    shutil.rmtree(folder / "files" / ben.organization_id)
    with contextlib.suppress(OSError):
        (folder / "files").rmdir()
    upgrade(engine)
    assert not open_folders(folder / "files"), "a folder that others may enter stops the next start"
    address = f"{DOCUMENTS}/{documents[0]['id']}/file"
    assert ben.get(address).data == data[0]
    lost = [each.about for each in bank.ask(lambda: list(checks.violations()))]
    assert [each["documentId"] for each in lost] == [documents[1]["id"]], (
        "what was lost before stays so, and is found"
    )
    sent(ben, data=pdf("newer"))
    assert not (folder / "documents" / names[0]).exists(), "the older name goes with the next file"
    assert ben.get(address).data == data[0]


def test_the_books_find_their_retained_earnings_or_get_the_account(ada, dan, session):
    engine = session.get_bind()
    downgrade(engine, "0022")
    mine, other = ada.organization_id, dan.organization_id
    # Ada calls it in her own way, and another account has its code; Dan has it as it came.
    renamed = sa.text("UPDATE accounts SET name = 'Net result' WHERE organization_id = :id AND code = '3300'")
    session.execute(renamed, {"id": mine})
    session.commit()
    upgrade(engine)
    found = [tuple(row) for row in session.execute(sa.text(RETAINED))]
    assert sorted(found, key=str) == sorted(
        [
            (other, "3300", "Retained earnings", "retained_earnings"),
            (mine, None, "Retained earnings", "retained_earnings"),
        ],
        key=str,
    )


REVALUED = "SELECT name FROM accounts WHERE organization_id = :mine AND is_revalued ORDER BY name"


def test_older_books_revalue_their_banks_claims_and_debts(ada, bank, session):
    bank.open("Giro")
    for name, type_ in (("Machines", "ASSET"), ("Lent to a friend", "LIABILITY")):
        ada.post("/api/accounts", json={"name": name, "type": type_})
    engine, mine = session.get_bind(), {"mine": ada.organization_id}
    before = session.scalars(sa.text(REVALUED), mine).all()
    session.close()
    downgrade(engine, "0023")
    upgrade(engine)
    after = session.scalars(sa.text(REVALUED), mine).all()
    assert set(after) >= {"Giro", "Trade receivables", "Trade payables", "Lent to a friend"}
    assert after == before


def test_members_who_never_chose_a_password_are_invited(ada, ben, dan, session):
    """One whose only books these are keeps the link; one whom two organizations added keeps none; keys stay."""
    engine = session.get_bind()
    session.close()
    downgrade(engine, "0028")
    for number, (email, organizations) in enumerate(
        {"one@example.com": [ada], "two@example.com": [ada, dan], "key@example.com": [ada]}.items(), 100
    ):
        added = {"id": number, "email": email, "now": "2026-03-01 00:00:00", "until": "2099-03-01 00:00:00"}
        for statement in (
            "INSERT INTO users (id, email, name, is_active, created_at) VALUES (:id, :email, 'New', true, :now)",
            "INSERT INTO one_time_links (token_hash, user_id, expires_at) VALUES (:email, :id, :until)",
        ):
            session.execute(sa.text(statement), added)
        for owner in organizations:
            session.execute(
                sa.text(
                    "INSERT INTO memberships (organization_id, user_id, role, created_at) "
                    "VALUES (:organization, :id, 'viewer', :now)"
                ),
                {**added, "organization": owner.organization_id},
            )
    session.execute(sa.text("UPDATE api_tokens SET user_id = 102 WHERE id = :id"), {"id": ben.token_id})
    session.commit()
    upgrade(engine)
    listed = sa.text("SELECT email, token_hash FROM invitations ORDER BY email, organization_id")
    found = [(email, token_hash == email) for email, token_hash in session.execute(listed)]
    assert found == [
        ("key@example.com", True),
        ("one@example.com", True),
        ("two@example.com", False),
        ("two@example.com", False),
    ]
    members = sa.text("SELECT user_id FROM memberships WHERE user_id >= 100")
    assert session.scalars(members).all() == [102]


def test_older_entries_are_numbered_in_the_order_in_which_they_were_posted(ben, dan, session):
    engine = session.get_bind()
    person_ids = {}
    for person in (ben, dan):
        accounts = [each["id"] for each in person.get("/api/accounts").json["accounts"]][:2]
        legs = [
            {"accountId": account, "amount": amount}
            for account, amount in zip(accounts, ("5", "-5"), strict=True)
        ]
        body = {"effectiveAt": "2026-03-02", "postings": legs}
        drafts = [person.post("/api/journal-entries", json=body).json["entry"]["id"] for _ in range(3)]
        # The second draft is posted first, the third never.
        for entry in (drafts[1], drafts[0]):
            assert person.post(f"/api/journal-entries/{entry}/post", json={}).status_code == 200
        person_ids |= {drafts[1]: 1, drafts[0]: 2, drafts[2]: None}
    session.rollback()
    downgrade(engine, "0035")
    upgrade(engine)
    numbered = session.execute(sa.text("SELECT id, number FROM journal_entries")).all()
    assert {row.id: row.number for row in numbered if row.id in person_ids} == person_ids
    with pytest.raises(sa.exc.IntegrityError):
        session.execute(sa.text("UPDATE journal_entries SET number = 9 WHERE number = 2"))
    session.rollback()


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_every_key_on_postgresql_carries_the_organization(session):
    """A table can only be spread over nodes by the organization where each key and foreign key has it."""
    inspector = sa.inspect(session.connection())
    shape = shaped(Base.metadata, "postgresql")
    for table in Base.metadata.sorted_tables:
        name, primary = table.name, inspector.get_pk_constraint(table.name)["constrained_columns"]
        assert set(primary) == set(shape.tables[name].primary_key.columns.keys()), name
        if "organization_id" in table.columns:
            # A unique constraint is among the unique indexes.
            unique = [each["column_names"] for each in inspector.get_indexes(name) if each["unique"]]
            first = {columns[0] for columns in (primary, *unique)}
            secrets = {columns[0] for columns in (primary, *unique) if columns[1:] == ["organization_id"]}
            assert first - secrets <= {"organization_id"}, name
            assert secrets <= SECRETS, name
            for key in inspector.get_foreign_keys(name):
                pair = (key["constrained_columns"][0], key["referred_table"])
                assert pair[0] == "organization_id" or pair == ("user_id", "users"), (name, pair)


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_a_session_knows_a_row_by_what_postgresql_finds_it_by(session):
    shape = shaped(Base.metadata, session.connection().engine.name)
    for mapper in Base.registry.mappers:
        if issubclass(mapper.class_, Organized):
            keyed = {column.name for column in mapper.primary_key}
            assert keyed == set(shape.tables[mapper.local_table.name].primary_key.columns.keys()), mapper
