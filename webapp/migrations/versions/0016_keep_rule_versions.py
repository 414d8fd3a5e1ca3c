"""Keep what each rule says in each of its versions, for good."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
WORDS = {
    "target": ("RECEIPT", "TRANSACTION"),
    "trigger": (
        "RECEIPT_PARSED",
        "TRANSACTION_INGESTED",
        "TRANSACTION_UPDATED",
        "MANUAL_PREVIEW",
        "MANUAL_APPLY",
    ),
}
CONTENT = (
    "organization_id, name, description, target, trigger, conditions, effects, priority, stop_processing,"
    " is_active, version"
)
FIXED = "What a rule said in a version never changes."
GUARDS = {"rule_version_fixed": "UPDATE", "rule_version_kept": "DELETE"}


def upgrade() -> None:
    op.create_table(
        "rule_versions",
        sa.Column("rule_id", BIG, nullable=False),
        sa.Column("action_request_id", sa.String(length=40), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("description", sa.String(length=500), nullable=True),
        sa.Column("target", sa.String(length=16), nullable=False),
        sa.Column("trigger", sa.String(length=32), nullable=False),
        sa.Column("conditions", sa.JSON(), nullable=False),
        sa.Column("effects", sa.JSON(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("stop_processing", sa.Boolean(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        *(one_of(column, words) for column, words in WORDS.items()),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_rule_versions_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rule_versions")),
        sa.UniqueConstraint("organization_id", "id", name=op.f("uq_rule_versions_organization_id_id")),
        sa.UniqueConstraint(
            "organization_id",
            "rule_id",
            "version",
            name=op.f("uq_rule_versions_organization_id_rule_id_version"),
        ),
        sqlite_autoincrement=True,
    )
    # Of older rules only what they say now is known.
    op.execute(
        f"INSERT INTO rule_versions (rule_id, created_at, {CONTENT})"  # noqa: S608  (names of our own)
        f" SELECT id, updated_at, {CONTENT} FROM rules ORDER BY id"
    )
    for name, act in GUARDS.items():
        guard(name, act)


def guard(name: str, act: str) -> None:
    """Refuse an act on a version in the database itself."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            f"CREATE TRIGGER {name} BEFORE {act} ON rule_versions BEGIN SELECT RAISE(ABORT, '{FIXED}'); END"
        )
        return
    op.execute(
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" RAISE EXCEPTION '{FIXED}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
    )
    op.execute(f"CREATE TRIGGER {name} BEFORE {act} ON rule_versions FOR EACH ROW EXECUTE FUNCTION {name}()")


def downgrade() -> None:
    op.drop_table("rule_versions")
    if op.get_bind().dialect.name == "postgresql":
        for name in GUARDS:
            op.execute(f"DROP FUNCTION {name}()")


def one_of(column: str, words: tuple[str, ...]) -> sa.CheckConstraint:
    """Let a text column hold these words only."""
    listed = ", ".join(f"'{word}'" for word in words)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=op.f(f"ck_rule_versions_{column}_word"))
