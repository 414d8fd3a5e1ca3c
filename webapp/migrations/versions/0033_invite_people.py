"""Let nobody be a member before accepting: invitations with their links take the place of links to choose a password."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INSTANT = sa.DateTime(timezone=True)
LINK_LIFETIME = timedelta(days=7)

# Who was added and never chose a password did not accept; keys and the only owner of books stay as they are.
WITHOUT_PASSWORD = sa.text("""
    SELECT m.organization_id, m.user_id, m.role, m.created_at, u.email, u.name,
           (SELECT count(*) FROM memberships o WHERE o.user_id = m.user_id) AS organizations,
           CASE WHEN EXISTS (SELECT 1 FROM api_tokens t WHERE t.organization_id = m.organization_id
                                                          AND t.user_id = m.user_id)
                  OR m.role = 'owner' AND NOT EXISTS (
                    SELECT 1 FROM memberships o WHERE o.organization_id = m.organization_id AND o.role = 'owner'
                                                  AND o.user_id <> m.user_id)
                THEN 1 ELSE 0 END AS stays
    FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE u.password_hash IS NULL
    ORDER BY m.organization_id, m.user_id
""").columns(created_at=INSTANT)
LINKS = sa.text("SELECT user_id, token_hash, expires_at FROM one_time_links WHERE used_at IS NULL").columns(
    expires_at=INSTANT
)


def upgrade() -> None:
    invitations = op.create_table(
        "invitations",
        sa.Column("email", sa.String(length=320), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("linked_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.CheckConstraint(
            "role IN ('viewer', 'bookkeeper', 'owner')", name=op.f("ck_invitations_role_word")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_invitations_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("organization_id", "email", name=op.f("uq_invitations_organization_id_email")),
        sa.UniqueConstraint("organization_id", "id", name=op.f("uq_invitations_organization_id_id")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_invitations_token_hash")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_invitations_email"), "invitations", ["email"])
    invite_who_never_came(invitations)
    op.drop_index(op.f("ix_one_time_links_user_id"), table_name="one_time_links")
    op.drop_table("one_time_links")


def invite_who_never_came(invitations: sa.Table) -> None:
    """Turn memberships without a password into invitations; of two organizations none keeps its link."""
    connection = op.get_bind()
    links = {row.user_id: row for row in connection.execute(LINKS)}
    for row in connection.execute(WITHOUT_PASSWORD).all():
        link = links.get(row.user_id) if row.organizations == 1 else None
        if link is None and row.stays:
            continue
        expires_at = link.expires_at if link else row.created_at
        invitation = {
            "organization_id": row.organization_id,
            "email": row.email,
            "name": row.name,
            "role": row.role,
            "token_hash": link.token_hash if link else hashlib.sha256(secrets.token_bytes(32)).hexdigest(),
            "linked_at": expires_at - LINK_LIFETIME,
            "expires_at": expires_at,
            "created_at": row.created_at,
        }
        connection.execute(invitations.insert(), [invitation])
        if not row.stays:
            connection.execute(
                sa.text("DELETE FROM memberships WHERE organization_id = :organization AND user_id = :user"),
                {"organization": row.organization_id, "user": row.user_id},
            )


def downgrade() -> None:
    op.create_table(
        "one_time_links",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("used_at", INSTANT, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_one_time_links_user_id")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_one_time_links")),
    )
    op.create_index(op.f("ix_one_time_links_user_id"), "one_time_links", ["user_id"])
    # Who was invited is invited again: the earlier version knows members only.
    op.drop_table("invitations")
