"""People who sign in, their sessions, the counters that slow down guessing, and API tokens with their daily totals."""

from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.models.base import (
    MONEY,
    BigId,
    Numbered,
    OrganizationKeyed,
    created,
    foreign_key,
    keyed_by,
    numbered,
    one_of,
)

# What a connection has: a code for its first tokens, an access token for calls, a refresh token for the next ones.
SECRET_KINDS = ("CODE", "ACCESS", "REFRESH")


class User(Base):
    """A person with an email address; the password is an argon2id hash, or none yet, which `users.hash_of` reads.

    With `letter_keys_off` no single letter acts on a page. Without a `locale` pages have that of the organization,
    without a `theme` that of the system, without a `language` that of the browser. `letters_off` are the kinds of
    letters that the person does not want.
    """

    __tablename__ = "users"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=True)
    email: Mapped[str] = mapped_column(sa.String(320), unique=True)
    name: Mapped[str] = mapped_column(sa.String(255))
    password_hash: Mapped[str | None] = mapped_column(sa.String(255), deferred=True)
    is_active: Mapped[bool] = mapped_column(default=True)
    letter_keys_off: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    locale: Mapped[str | None] = mapped_column(sa.String(16))
    theme: Mapped[str | None] = mapped_column(sa.String(8))
    language: Mapped[str | None] = mapped_column(sa.String(8))
    letters_off: Mapped[list[str] | None] = mapped_column(sa.JSON)
    created_at: Mapped[datetime] = created()


class BrowserSession(Base):
    """A signed-in browser: only the SHA-256 of its cookie is stored; it `is_strong` where a second factor was shown."""

    __tablename__ = "sessions"
    __mapper_args__ = keyed_by("id_hash", "organization_id")

    id_hash: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, sa.ForeignKey("users.id"), index=True)
    organization_id: Mapped[str] = mapped_column(sa.ForeignKey("organizations.id"))
    created_at: Mapped[datetime] = created()
    last_seen_at: Mapped[datetime] = mapped_column(Instant)
    address: Mapped[str | None] = mapped_column(sa.String(64))
    user_agent: Mapped[str | None] = mapped_column(sa.String(400))
    is_strong: Mapped[bool] = mapped_column(default=False, server_default=sa.false())


class SignInCounter(Base):
    """Failed sign-ins of one account, one network or one browser: the instants of the latest, as ISO texts."""

    __tablename__ = "sign_in_counters"

    key: Mapped[str] = mapped_column(sa.String(80), primary_key=True)
    tried_at: Mapped[list[str]] = mapped_column(sa.JSON)
    last_try_at: Mapped[datetime] = mapped_column(Instant, index=True)


class FamiliarBrowser(Base):
    """A browser that a person has signed in with: only the SHA-256 of its cookie is stored."""

    __tablename__ = "familiar_browsers"

    id_hash: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, sa.ForeignKey("users.id"), primary_key=True, index=True)
    signed_in_at: Mapped[datetime] = mapped_column(Instant)


class Passkey(Base):
    """A key of a person's device for one host: `public_key` checks what it signs, and the device counts."""

    __tablename__ = "passkeys"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=True)
    user_id: Mapped[int] = mapped_column(BigId, sa.ForeignKey("users.id"), index=True)
    credential: Mapped[str] = mapped_column(sa.String(1400), unique=True)
    public_key: Mapped[bytes] = mapped_column(sa.LargeBinary)
    sign_count: Mapped[int] = mapped_column(sa.BigInteger)
    host: Mapped[str] = mapped_column(sa.String(255))
    name: Mapped[str] = mapped_column(sa.String(255))
    created_at: Mapped[datetime] = created()
    last_used_at: Mapped[datetime | None] = mapped_column(Instant)


class PasskeyChallenge(Base):
    """A challenge that a browser has still to answer, as its SHA-256: of a person who adds a passkey, or of anybody."""

    __tablename__ = "passkey_challenges"

    challenge_hash: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    user_id: Mapped[int | None] = mapped_column(BigId, sa.ForeignKey("users.id"))
    expires_at: Mapped[datetime] = mapped_column(Instant, index=True)


class Authenticator(Base):
    """The app that writes codes for a person: the vault keeps its secret, as that of `uid`.

    It counts from the first right code on. A code is used once: `last_step` is the span of time of the latest one.
    """

    __tablename__ = "authenticators"

    user_id: Mapped[int] = mapped_column(BigId, sa.ForeignKey("users.id"), primary_key=True)
    uid: Mapped[str] = mapped_column(sa.String(32), unique=True)
    last_step: Mapped[int] = mapped_column(sa.BigInteger, default=0)
    confirmed_at: Mapped[datetime | None] = mapped_column(Instant)
    created_at: Mapped[datetime] = created()


class RecoveryCode(Base):
    """A code that stands in for a person's authenticator, once: only its SHA-256 is stored."""

    __tablename__ = "recovery_codes"

    code_hash: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, sa.ForeignKey("users.id"), index=True)
    used_at: Mapped[datetime | None] = mapped_column(Instant)


class Identity(Base):
    """A person as another server that signs people in knows them: never by address or name."""

    __tablename__ = "identities"

    issuer: Mapped[str] = mapped_column(sa.String(512), primary_key=True)
    subject: Mapped[str] = mapped_column(sa.String(255), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, sa.ForeignKey("users.id"), index=True)
    created_at: Mapped[datetime] = created()
    last_used_at: Mapped[datetime | None] = mapped_column(Instant)


class SignInStep(Base):
    """A sign-in that has begun and goes on with a secret of the browser, of which only the SHA-256 is stored."""

    __tablename__ = "sign_in_steps"

    step_hash: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    user_id: Mapped[int | None] = mapped_column(BigId, sa.ForeignKey("users.id"), index=True)
    kind: Mapped[str] = mapped_column(sa.String(16))
    facts: Mapped[dict[str, str]] = mapped_column(sa.JSON)
    expires_at: Mapped[datetime] = mapped_column(Instant, index=True)


class SavedView(Numbered, Base):
    """A filter of a list, under a name: the query of the page with this path in the books. It is its person's alone."""

    __tablename__ = "saved_views"
    __table_args__ = numbered(sa.UniqueConstraint("organization_id", "user_id", "path", "name"))

    user_id: Mapped[int] = mapped_column(BigId, sa.ForeignKey("users.id"))
    path: Mapped[str] = mapped_column(sa.String(64))
    name: Mapped[str] = mapped_column(sa.String(255))
    query: Mapped[str] = mapped_column(sa.String(2000))
    created_at: Mapped[datetime] = created()


class ApiToken(Numbered, Base):
    """A bearer token of a user in one organization, with scopes out of those of behaviour.md 5.

    One with a `client_id` is a connection: a client of that id, which gets its tokens by OAuth (ConnectionSecret).

    Its caps are what it may post in a day, in entries and in the base currency, and how often it may ask;
    null is no cap of its own.
    """

    __tablename__ = "api_tokens"
    __table_args__ = numbered(
        sa.CheckConstraint("max_entries_a_day >= 0", name="max_entries_a_day"),
        sa.CheckConstraint("max_amount_a_day_minor >= 0", name="max_amount_a_day"),
        sa.CheckConstraint("max_requests_a_minute >= 1", name="max_requests_a_minute"),
    )

    user_id: Mapped[int] = mapped_column(BigId, sa.ForeignKey("users.id"), index=True)
    name: Mapped[str] = mapped_column(sa.String(255))
    prefix: Mapped[str] = mapped_column(sa.String(16))
    token_hash: Mapped[str] = mapped_column(sa.String(64), unique=True)
    scopes: Mapped[list[str]] = mapped_column(sa.JSON)
    created_at: Mapped[datetime] = created()
    expires_at: Mapped[datetime | None] = mapped_column(Instant)
    last_used_at: Mapped[datetime | None] = mapped_column(Instant)
    revoked_at: Mapped[datetime | None] = mapped_column(Instant)
    max_entries_a_day: Mapped[int | None] = mapped_column(sa.Integer)
    max_amount_a_day_minor: Mapped[int | None] = mapped_column(MONEY)
    max_requests_a_minute: Mapped[int | None] = mapped_column(sa.Integer)
    client_id: Mapped[str | None] = mapped_column(sa.String(512))


class ConnectionSecret(OrganizationKeyed, Base):
    """A code, an access token or a refresh token of a connection: only its SHA-256 is stored.

    It is good for one `resource`. A code and a refresh token are used once; who comes with a used one has copied it. A
    code has the redirect address and the challenge that its client has to meet, an access token its scopes.
    """

    __tablename__ = "connection_secrets"
    __table_args__ = (
        foreign_key("token_id", "api_tokens"),
        one_of("kind", *SECRET_KINDS),
        sa.Index("ix_connection_secrets_token_id", "organization_id", "token_id"),
        {"sqlite_with_rowid": False},
    )

    secret_hash: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    token_id: Mapped[int] = mapped_column(BigId)
    kind: Mapped[str] = mapped_column(sa.String(8))
    resource: Mapped[str] = mapped_column(sa.String(512))
    scopes: Mapped[list[str]] = mapped_column(sa.JSON)
    redirect: Mapped[str | None] = mapped_column(sa.String(2000))
    challenge: Mapped[str | None] = mapped_column(sa.String(64))
    created_at: Mapped[datetime] = created()
    expires_at: Mapped[datetime] = mapped_column(Instant)
    used_at: Mapped[datetime | None] = mapped_column(Instant)


class TokenDay(OrganizationKeyed, Base):
    """What a token posted on one day of its organization: so many entries, and their debits in the base currency."""

    __tablename__ = "token_days"
    __table_args__ = (foreign_key("token_id", "api_tokens"), {"sqlite_with_rowid": False})

    token_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    day: Mapped[date] = mapped_column(sa.Date, primary_key=True)
    entry_count: Mapped[int] = mapped_column(sa.Integer)
    amount_base_minor: Mapped[int] = mapped_column(MONEY)
