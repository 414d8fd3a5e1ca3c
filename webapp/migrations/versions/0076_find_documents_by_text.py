"""Find documents by any part of their texts or by an amount: an index of each three letters says which may have it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0076"
down_revision = "0075"
branch_labels = None
depends_on = None

TEXTS, AMOUNTS = ("number", "sender", "file_name", "text"), ("net_minor", "tax_minor", "total_minor")
COLUMNS = (*TEXTS, *AMOUNTS)
# The end of a line keeps what one column ends with apart from what the next one begins with. An amount of either sign
# stands between private characters, which no text has.
TEXT = " || char(10) || ".join(
    (
        *(f"coalesce({{0}}{column}, '')" for column in TEXTS),
        *(f"coalesce(char(57345) || abs({{0}}{column}) || char(57345), '')" for column in AMOUNTS),
    )
)
INDEX = "INSERT INTO document_texts (rowid, texts)"
EVERY = f"SELECT id, {TEXT.format('')} FROM documents ORDER BY id"  # noqa: S608  (our names)
FORGET = "INSERT INTO document_texts (document_texts, rowid, texts)"
# PostgreSQL has no such index without an extension. Three letters are one number here, which those of few alphabets share:
# whoever asks looks at what is found. Whose document it is is a number too, below zero, so that no other organization's are
# read. The high cost keeps every plan from calling the function for each document.
KEYS = """
    CREATE FUNCTION keys_of_document(
        organization_id text, number text, sender text, file_name text, words text,
        net bigint, tax bigint, total bigint
    ) RETURNS integer[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
    DECLARE
        mark text := chr(57345);
        whole text := concat_ws(chr(10), number, sender, file_name, words,
            mark || abs(net) || mark, mark || abs(tax) || mark, mark || abs(total) || mark);
        letter text;
        first bigint;
        second bigint;
        third bigint;
        keys integer[] := ARRAY[-1 - (('x' || substr(md5(organization_id), 1, 8))::bit(32)::integer & 2147483647)];
    BEGIN
        FOREACH letter IN ARRAY string_to_array(lower(whole), NULL) LOOP
            first := second;
            second := third;
            third := ascii(letter);
            IF first IS NOT NULL THEN
                keys := keys || mod(first * 1048576 + second * 1024 + third, 2147483647)::integer;
            END IF;
        END LOOP;
        RETURN keys;
    END $$"""
ARGUMENTS = ", ".join(("{0}organization_id", *(f"{{0}}{column}" for column in COLUMNS)))
# Row-level security lets no index answer @>, which may tell of rows that it looks at in vain: the owner asks it.
FIND = """
    CREATE FUNCTION documents_with(wanted text[]) RETURNS SETOF bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp AS $$
    DECLARE
        books text := current_setting('tieout.organization', true);
        each text;
        keys integer[];
    BEGIN
        FOREACH each IN ARRAY wanted LOOP
            keys := keys_of_document(books, each, NULL, NULL, NULL, NULL, NULL, NULL);
            RETURN QUERY SELECT d.id FROM documents d
                WHERE d.organization_id = books AND keys_of_document({arguments}) @> keys;
        END LOOP;
    END $$"""


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        _upgrade_postgresql()
        return
    op.execute(
        "CREATE VIRTUAL TABLE document_texts USING fts5("
        "texts, tokenize='trigram', detail=none, content='', columnsize=0)"
    )
    op.execute(f"{INDEX} {EVERY}")
    differs = " OR ".join(f"OLD.{column} IS NOT NEW.{column}" for column in COLUMNS)
    forget = f"{FORGET} VALUES ('delete', OLD.id, {TEXT.format('OLD.')});"
    index = f"{INDEX} VALUES (NEW.id, {TEXT.format('NEW.')});"
    op.execute(f"CREATE TRIGGER texts_of_document_insert AFTER INSERT ON documents BEGIN {index} END")
    op.execute(
        f"CREATE TRIGGER texts_of_document_update AFTER UPDATE OF {', '.join(COLUMNS)} ON documents"
        f" WHEN {differs} BEGIN {forget} {index} END"
    )
    op.execute(f"CREATE TRIGGER texts_of_document_delete AFTER DELETE ON documents BEGIN {forget} END")


def _upgrade_postgresql() -> None:
    schema = op.get_bind().scalar(sa.text("SELECT quote_ident(current_schema())"))
    # As they are: SQLAlchemy would take the colons for parameters.
    op.get_bind().exec_driver_sql(KEYS)
    # New keys wait in a list that is read whole by each search: a short one.
    op.execute(
        f"CREATE INDEX ix_documents_texts ON documents USING gin (keys_of_document({ARGUMENTS.format('')}))"
        " WITH (gin_pending_list_limit = 1024)"
    )
    # Statistics of keys would cost a call for each document of the sample, and lead to plans without the index.
    op.execute("ALTER INDEX ix_documents_texts ALTER COLUMN 1 SET STATISTICS 0")
    op.get_bind().exec_driver_sql(FIND.format(schema=schema, arguments=ARGUMENTS.format("d.")))
    op.execute("REVOKE ALL ON FUNCTION documents_with FROM PUBLIC")


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION documents_with")
        op.drop_index("ix_documents_texts", "documents")
        op.execute("DROP FUNCTION keys_of_document")
        return
    for event in ("insert", "update", "delete"):
        op.execute(f"DROP TRIGGER texts_of_document_{event}")
    op.execute("DROP TABLE document_texts")
