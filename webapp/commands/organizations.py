"""Organizations and their people: creation, listing, passwords."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple

import click

from webapp.commands.books import (
    EMAIL,
    JSON,
    PASSWORD_STDIN,
    aligned,
    answer,
    books,
    command_actor,
    password_from_stdin,
)
from webapp.database.sessions import begin_read, begin_write, db
from webapp.ledger.chart import CHARTS, DEFAULT
from webapp.ledger.errors import NotFoundError
from webapp.models import Organization, User
from webapp.queries.access import organizations as queried
from webapp.services.access import invitations, organizations, second_factors, users
from webapp.services.audit.act import Actor
from webapp.services.tax import packs


class Country(NamedTuple):
    """What books of a country start with."""

    currency: str | None
    chart: str
    pack: str | None


COUNTRIES: Final[Mapping[str, Country]] = {"uk": Country("GBP", "uk", "uk-vat100")}


@click.command()
@click.argument("name")
@click.option("--base-currency", metavar="EUR", help="The currency of the books.")
@click.option("--chart", type=click.Choice(list(CHARTS)), help="The accounts to start with.")
@click.option(
    "--country",
    type=click.Choice(list(COUNTRIES)),
    help="Start with its currency, its accounts and its tax return, by quarters from this one on.",
)
@click.option(
    "--time-zone", default="UTC", show_default=True, metavar="Europe/Berlin", help="Which day it is."
)
@EMAIL
@PASSWORD_STDIN
@JSON
def create_organization(
    name: str,
    base_currency: str | None,
    chart: str | None,
    time_zone: str,
    email: str,
    *,
    country: str | None,
    password_stdin: bool,
    as_json: bool,
) -> None:
    """Create an organization with its first owner."""
    now = datetime.now(UTC)
    own = COUNTRIES.get(country or "", Country(None, DEFAULT, None))
    currency = base_currency or own.currency
    if currency is None:
        raise click.UsageError("Name the currency of the books by --base-currency, or their --country.")
    password = password_from_stdin() if password_stdin else None
    with books():
        hashed = users.hash_password(password) if password is not None else None
        begin_write()
        owner = users.find_or_create(email, now=now)
        if hashed is not None:
            users.set_password(email, hashed)
        organization = organizations.create(
            name, currency, owner, time_zone=time_zone, now=now, chart=chart or own.chart
        )
        if own.pack is not None:
            _keep_taxes(organization, owner, own.pack, now)
        link = None
        if users.hash_of(db.session(), owner.email) is None:
            _, link = invitations.make(organization.id, owner.email, "owner", name=owner.name, now=now)
        had_account = hashed is None and link is None
        db.session.commit()
        value = {"organizationId": organization.id, "userId": owner.id}
    answer(value, f"{name} is organization {organization.id}.", as_json=as_json)
    _print_owner(owner.email, link, had_account=had_account)


def _print_owner(email: str, link: str | None, *, had_account: bool) -> None:
    """Print on standard error how the owner signs in, where no password was typed."""
    if had_account:
        click.echo(
            f"{email} had an account here already, and owns these books now. "
            "If you do not know that account, run tieout set-password.",
            err=True,
        )
    if link is not None:
        click.echo(f"{email} has no password yet. One-time link: /join/{link}", err=True)


def _keep_taxes(organization: Organization, owner: User, pack: str, now: datetime) -> None:
    """Install the taxes of a country from the present quarter on; before a return is filed the day may be changed."""
    today = queried.today(organization.id, now)
    quarter = today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1)
    actor = Actor(organization.id, "PERSON", owner.id, owner.name, owner.id)
    packs.install(pack, from_=quarter, basis="ACCRUAL", frequency="QUARTERLY", actor=actor, now=now)


@click.command("organizations")
@JSON
def list_organizations(*, as_json: bool) -> None:
    """List the organizations of this installation, with their ids and owners."""
    with books():
        begin_read()
        found = [
            {
                "id": each.id,
                "name": each.name,
                "baseCurrency": each.base_currency,
                "owners": [one.user.email for one in queried.members(each.id) if one.role == "owner"],
            }
            for each in queried.every()
        ]
    rows = [(each["id"], each["name"], each["baseCurrency"], ", ".join(each["owners"])) for each in found]
    answer(found, aligned(rows) or "There are no organizations yet.", as_json=as_json)


@click.command()
@EMAIL
@PASSWORD_STDIN
@click.option(
    "--reset-second-factor",
    is_flag=True,
    help="Remove their authenticator app, recovery codes and passkeys too, for somebody who lost them.",
)
def set_password(email: str, *, password_stdin: bool, reset_second_factor: bool) -> None:
    """Set a new password for a person; all their sessions end, and their second factor stays unless it is reset."""
    password = password_from_stdin() if password_stdin else click.prompt("Password", hide_input=True)
    with books():
        hashed = users.hash_password(password)
        begin_write()
        try:
            user = users.set_password(email, hashed)
        except NotFoundError as error:
            raise click.ClickException(f"Nobody has the email address {email}.") from error
        is_reset = reset_second_factor and second_factors.reset(user, command_actor, datetime.now(UTC))
        has_one = second_factors.has_one(user.id)
        db.session.commit()
    click.echo("The password is changed, and every session of theirs has ended.", err=True)
    if is_reset:
        click.echo("Their authenticator app, recovery codes and passkeys are removed.", err=True)
    elif has_one:
        click.echo("Their authenticator app and passkeys stay; --reset-second-factor removes them.", err=True)
