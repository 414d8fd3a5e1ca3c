"""API tokens for programs: creation, listing and revocation; and the key of the vault."""

from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import click

from webapp.commands.books import (
    EMAIL,
    JSON,
    ORGANIZATION,
    aligned,
    answer,
    books,
    command_actor,
    require_organization,
)
from webapp.commands.failures import FailedError
from webapp.database.sessions import begin_read, begin_write, db
from webapp.ledger import titles
from webapp.ledger.errors import NotFoundError
from webapp.ledger.scopes import SCOPES
from webapp.models import Membership, User
from webapp.queries.access import organizations
from webapp.queries.access import tokens as queried
from webapp.schemas.access import TokenSchema
from webapp.services.access import tokens, users
from webapp.services.storage import vault


class AmountParam(click.ParamType):  # type: ignore[type-arg]
    """An amount in the base currency, as a decimal."""

    name = "amount"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        """Read the amount, or fail with an example of one."""
        try:
            amount = Decimal(str(value))
        except InvalidOperation:
            amount = Decimal("NaN")
        if not amount.is_finite() or amount < 0:
            self.fail(f"{value} is not an amount; write one like 250.00.", param, ctx)
        return amount


@click.command()
@ORGANIZATION
@EMAIL
@click.option("--name", required=True, help="What the token is for.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(SCOPES),
    help="Default: everything that the owner may do.",
)
@click.option("--expires", type=click.DateTime(["%Y-%m-%d"]), help="The last day on which it works.")
@click.option(
    "--max-entries-a-day", type=click.IntRange(0, 2**31 - 1), help="Entries that it may post a day."
)
@click.option(
    "--max-amount-a-day", type=AmountParam(), help="Amount in the base currency that it may post a day."
)
@click.option(
    "--max-requests-a-minute", type=click.IntRange(1, 1_000_000), help="Requests that it may make a minute."
)
@JSON
def create_token(
    organization_id: str,
    email: str,
    name: str,
    scopes: tuple[str, ...],
    expires: datetime | None,
    *,
    as_json: bool,
    **caps: Any,
) -> None:
    """Create an API token; its text is printed once."""
    with books():
        begin_write(organization_id)
        membership = _membership(organization_id, email)
        token, text = tokens.create(
            membership,
            actor=command_actor(organization_id),
            now=datetime.now(UTC),
            name=name,
            scopes=scopes,
            expires_at=organizations.end_of_day(organization_id, expires.date()) if expires else None,
            caps=tokens.caps(organization_id, **caps),
        )
        db.session.commit()
    answer({"tokenId": token.id, "token": text}, text, as_json=as_json)


@click.group("tokens")
def tokens_group() -> None:
    """List and revoke the API tokens of an organization."""


@tokens_group.command("list")
@ORGANIZATION
@JSON
def list_tokens(organization_id: str, *, as_json: bool) -> None:
    """List the tokens of an organization, the newest first, without their texts."""
    with books():
        begin_read()
        require_organization(organization_id)
        found = TokenSchema(many=True).dump(queried.listed(organization_id, user_id=None))
    rows = [
        (
            each["id"],
            each["name"],
            f"{each['prefix']}…",
            each["userName"],
            _state(each),
            " ".join(each["scopes"]),
        )
        for each in found
    ]
    answer(found, aligned(rows) or "There are no tokens yet.", as_json=as_json)


def _state(token: dict[str, Any]) -> str:
    if token["revokedAt"]:
        return f"revoked {token['revokedAt'][:10]}"
    return f"until {token['lastDay']}" if token["lastDay"] else "no end"


@tokens_group.command("revoke")
@click.argument("token_id", type=click.IntRange(1, 2**63 - 1), metavar="ID")
@ORGANIZATION
@JSON
def revoke_token(token_id: int, organization_id: str, *, as_json: bool) -> None:
    """End a token at once; `tieout tokens list` shows its ID."""
    with books():
        begin_write(require_organization(organization_id).id)
        try:
            token = queried.get(organization_id, token_id, user_id=None)
        except NotFoundError:
            raise click.UsageError(
                f"There is no token {token_id} in these books; tieout tokens list shows them."
            ) from None
        was_revoked = token.revoked_at is not None
        tokens.revoke(token, actor=command_actor(organization_id), now=datetime.now(UTC))
        db.session.commit()
        found = TokenSchema().dump(queried.record(token))
    done = f"was revoked already, on {found['revokedAt'][:10]}" if was_revoked else "is revoked"
    answer({"changed": not was_revoked, "token": found}, f"{found['name']} {done}.", as_json=as_json)


def _membership(organization_id: str, email: str) -> Membership:
    organization = require_organization(organization_id)
    user = db.session.query(User).filter_by(email=users.canonical_email(email)).one_or_none()
    membership = user and db.session.get(Membership, (organization.id, user.id))
    if not membership:
        raise click.UsageError(f"{email} does not belong to {organization.name}.")
    return membership


@click.group("vault")
def vault_group() -> None:
    """Change the key of the secrets that Tieout sends to others; it lies outside the database and its backups."""


@vault_group.command("rotate")
@JSON
def rotate(*, as_json: bool) -> None:
    """Make a new key, and encrypt all secrets with it; run it again where it was stopped.

    The key before it stays in the file until the next rotation, for what was being kept meanwhile.
    """
    with books(), vault.alone():
        count = _resealed()
        try:
            vault.add_key()
        except OSError as error:
            raise FailedError(
                f"{vault.key_path()} cannot be written ({error.strerror}). Write a new key above the others there "
                "(openssl rand -hex 32), and run this again; what is sealed with others is now sealed with the first.",
                "vault_key",
            ) from error
        count = _resealed() or count
        lost = vault.count_lost()
        place = str(vault.key_path())
    sentence = f"Encrypted {titles.counted(count, 'secret')} with a new key in {place}."
    if lost:
        sentence += f"\n{titles.counted(lost, 'secret')} cannot be opened with any key there; connect anew."
    answer({"secrets": count, "lost": lost, "file": place}, sentence, as_json=as_json)


def _resealed() -> int:
    """Encrypt all secrets with the newest key, some in each transaction."""
    count = 0
    while True:
        begin_write()
        some = vault.reseal(datetime.now(UTC))
        db.session.commit()
        if not some:
            return count
        count += some
