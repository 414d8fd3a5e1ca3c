"""Making API tokens for programs."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from webapp.commands.books import (
    EMAIL,
    JSON,
    ORGANIZATION,
    answer,
    books,
    command_actor,
    require_organization,
)
from webapp.db import begin_write, db
from webapp.ledger.scopes import SCOPES
from webapp.models import Membership, User
from webapp.services import tokens, users


@click.command()
@ORGANIZATION
@EMAIL
@click.option("--name", required=True, help="What the token is for.")
@click.option(
    "--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="Default: all that the owner may."
)
@JSON
def create_token(
    organization_id: str, email: str, name: str, scopes: tuple[str, ...], *, as_json: bool
) -> None:
    """Make an API token; its text is printed once."""
    with books():
        begin_write(organization_id)
        membership = _membership(organization_id, email)
        token, text = tokens.create(
            membership,
            actor=command_actor(organization_id),
            now=datetime.now(UTC),
            name=name,
            scopes=scopes,
        )
        db.session.commit()
    answer({"tokenId": token.id, "token": text}, text, as_json=as_json)


def _membership(organization_id: str, email: str) -> Membership:
    organization = require_organization(organization_id)
    user = db.session.query(User).filter_by(email=users.canonical_email(email)).one_or_none()
    membership = user and db.session.get(Membership, (organization.id, user.id))
    if not membership:
        raise click.UsageError(f"{email} does not belong to {organization.name}.")
    return membership
