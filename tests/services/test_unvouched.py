"""What an unsigned backup could change without a check that finds it is listed."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from webapp.database.column_types import Instant
from webapp.database.sessions import db
from webapp.ledger.bound_rows import FIELDS
from webapp.models import (
    Authenticator,
    ClosePolicy,
    Identity,
    Invitation,
    LockException,
    Organization,
    Passkey,
    RecoveryCode,
    User,
    WebhookEndpoint,
)
from webapp.services.backups.archives import SignedBy
from webapp.services.backups.restores import Restored
from webapp.services.backups.unvouched import not_vouched_for

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
# They say how pages write, or nothing, since a restore sets them.
HARMLESS = {"locale", "is_demo", "drop_folder"}
OTHERS = ((sa.Boolean, True), (sa.Integer, 7), (sa.JSON, ["RATES"]), (Instant, NOW))


@pytest.fixture
def session(app):
    with app.app_context():
        yield db.session
        db.session.rollback()


def listed():
    db.session.flush()
    db.session.expire_all()
    return not_vouched_for(db.session(), Restored({"lostFiles": []}, SignedBy.NOBODY, []))


def test_no_setting_that_guards_books_changes_unlisted(session, ada):
    """Each that no event binds, also one that a later version adds."""
    session.add(ClosePolicy(organization_id=ada.organization_id))
    for model, bound in ((Organization, FIELDS["organization"]), (ClosePolicy, ())):
        free = [each for each in model.__table__.columns if each.name not in {*bound, *HARMLESS}]
        for column in (each for each in free if not each.primary_key):
            before = listed()
            other = next(value for kind, value in OTHERS if isinstance(column.type, kind))
            session.execute(sa.update(model).values({column: other}))
            assert listed() != before, column


def test_whatever_lets_somebody_in_is_listed(session, ada):
    before = listed()
    assert f"{ada.email}: a password" in before["how they sign in"]
    link = {"email": "eve@example.com", "name": "Eve", "role": "owner", "token_hash": "t", "linked_at": NOW}
    told = {"url": "https://eve.example/", "types": ["*"], "view": "FULL", "status": "ACTIVE"}
    key = {"credential": "c", "public_key": b"k", "sign_count": 0, "host": "h", "name": "Ring"}
    of_ada, own = {"user_id": ada.user_id}, {"organization_id": ada.organization_id, "created_at": NOW}
    session.add_all(
        [
            Authenticator(**of_ada, uid="a", confirmed_at=NOW, created_at=NOW),
            Passkey(**of_ada, **key, created_at=NOW),
            Identity(**of_ada, issuer="https://id.example", subject="1", created_at=NOW),
            RecoveryCode(**of_ada, code_hash="c"),
            Invitation(**own, **link, expires_at=NOW),
            LockException(**own, **of_ada, starts_on=NOW.date(), until=NOW, note="", granted_by={}),
            WebhookEndpoint(**own, **told, uid="w", after_sequence=0, enabled_at=NOW),
        ]
    )
    session.execute(sa.update(User).where(User.id != ada.user_id).values(is_active=False, password_hash=None))
    after = listed()
    ways = "a password, an authenticator app, the passkey Ring, https://id.example, 1 recovery codes"
    assert f"{ada.email}: {ways}" in after["how they sign in"]
    assert "ben@example.com: nothing, deactivated" in after["how they sign in"]
    assert {kind: facts for kind, facts in after.items() if kind not in before} == {
        "invitations": ["eve@example.com, owner of Lantern Studio, until 2026-01-02 03:04 UTC"],
        "people who may date entries in a locked period": [
            "ada@example.com in Lantern Studio, from 2026-01-02 on, until 2026-01-02 03:04 UTC"
        ],
        "addresses that are told of events": ["https://eve.example/, of Lantern Studio"],
    }
