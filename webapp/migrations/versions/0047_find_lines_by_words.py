"""Find lines by the beginnings of their words (full-text search, or an index of words), and entries without a line."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

COLUMNS = ("description", "counterparty", "reference", "iban", "amount_minor")
# What is searched of a line on SQLite: its texts, its amount of either sign, and whose books it is in. No bank's text
# has the two private characters.
TEXT = (
    "{0}description || ' ' || coalesce({0}counterparty, '') || ' ' || coalesce({0}reference, '') || ' ' ||"
    " coalesce({0}iban, '') || ' ' || char(57345) || abs({0}amount_minor) || ' ' || char(57344) ||"
    " replace({0}organization_id, '_', '')"
)
INDEX = "INSERT INTO line_words (rowid, words)"
EVERY = f"SELECT id, {TEXT.format('')} FROM transactions ORDER BY id"  # noqa: S608  (our names)
FORGET = "INSERT INTO line_words (line_words, rowid, words)"
# The same on PostgreSQL, of long texts only their beginnings: a word has at most 2,046 bytes there. The high cost keeps
# every plan from calling the function for each line of the books.
WORDS = r"""
    CREATE FUNCTION words_of_line(
        organization_id text, description text, counterparty text, reference text, iban text, amount_minor bigint
    ) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
    DECLARE
        words text := concat_ws(' ', left(description, 500), left(counterparty, 500), left(reference, 500), iban);
    BEGIN
        IF octet_length(words) <> char_length(words) THEN
            words := regexp_replace(normalize(words, NFD), '[\u0300-\u036f]+', '', 'g');
        END IF;
        RETURN array_to_tsvector(array_remove(
            regexp_split_to_array(lower(words), '[^[:alnum:]]+')
                || ARRAY['$' || abs(amount_minor), '#' || organization_id], ''));
    END $$"""
ARGUMENTS = "organization_id, description, counterparty, reference, iban, amount_minor"


def upgrade() -> None:
    is_own = sa.text("source <> 'bank_feed'")
    op.create_index(
        "ix_journal_entries_own",
        "journal_entries",
        ["organization_id", "id"],
        sqlite_where=is_own,
        postgresql_where=is_own,
    )
    if op.get_bind().dialect.name == "postgresql":
        # As it is: SQLAlchemy would take the colons for parameters.
        op.get_bind().exec_driver_sql(WORDS)
        # New words wait in a list that is read whole by each search, and that keeps its room: a short one.
        op.execute(
            f"CREATE INDEX ix_transactions_words ON transactions USING gin (words_of_line({ARGUMENTS}))"
            " WITH (gin_pending_list_limit = 1024)"
        )
        # Statistics of words would cost a call for each line of the sample, and lead to plans without the index.
        op.execute("ALTER INDEX ix_transactions_words ALTER COLUMN 1 SET STATISTICS 0")
        return
    op.execute(
        "CREATE VIRTUAL TABLE line_words USING fts5("
        "words, tokenize='unicode61 remove_diacritics 2', detail=none, content='', columnsize=0)"
    )
    op.execute(f"{INDEX} {EVERY}")
    # Lines come in bulk, and are indexed so (services/storage/line_words.py): one by one it takes five times as long.
    differs = " OR ".join(f"OLD.{column} IS NOT NEW.{column}" for column in COLUMNS)
    forget = f"{FORGET} VALUES ('delete', OLD.id, {TEXT.format('OLD.')});"
    index = f"{INDEX} VALUES (NEW.id, {TEXT.format('NEW.')});"
    op.execute(
        f"CREATE TRIGGER words_of_line_update AFTER UPDATE OF {', '.join(COLUMNS)} ON transactions"
        f" WHEN {differs} BEGIN {forget} {index} END"
    )
    op.execute(f"CREATE TRIGGER words_of_line_delete AFTER DELETE ON transactions BEGIN {forget} END")


def downgrade() -> None:
    op.drop_index("ix_journal_entries_own", "journal_entries")
    if op.get_bind().dialect.name == "postgresql":
        op.drop_index("ix_transactions_words", "transactions")
        op.execute("DROP FUNCTION words_of_line")
        return
    op.execute("DROP TRIGGER words_of_line_update")
    op.execute("DROP TRIGGER words_of_line_delete")
    op.execute("DROP TABLE line_words")
