"""What a restore takes as the backup has it, because nothing in the books can tell whether somebody changed it."""

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.models import ApiToken, Membership, Organization, User
from webapp.services.backups.backups import Manifest


def listed(session: orm.Session, manifest: Manifest, drop_folders: list[str]) -> dict[str, list[str]]:
    """List what an unsigned backup may say of people, keys and organizations, each in words, by kind."""
    people = session.execute(
        sa.select(User.email, Membership.role, Organization.name)
        .join(Membership, Membership.user_id == User.id)
        .join(Organization, Organization.id == Membership.organization_id)
        .order_by(User.email, Organization.id)
    )
    keys = session.execute(
        sa.select(ApiToken.name, ApiToken.scopes, Organization.name)
        .join(Organization, Organization.id == ApiToken.organization_id)
        .where(ApiToken.revoked_at.is_(None))
        .order_by(Organization.id, ApiToken.id)
    )
    books = session.execute(
        sa.select(Organization.name, Organization.base_currency, Organization.lock_date).order_by(
            Organization.id
        )
    )
    found = {
        "people and their passwords": [f"{email}, {role} of {name}" for email, role, name in people],
        "keys": [f"{key} ({' '.join(scopes)}) of {name}" for key, scopes, name in keys],
        "organizations": [
            f"{name}, {currency}, {f'locked through {day.isoformat()}' if day else 'not locked'}"
            for name, currency, day in books
        ],
        "files that it calls lost": list(manifest["lostFiles"]),
        "drop folders, which are not watched until you choose them again": drop_folders,
    }
    return {kind: facts for kind, facts in found.items() if facts}
