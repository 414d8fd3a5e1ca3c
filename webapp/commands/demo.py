"""The demo organization: made through the services, with a stored sign-in."""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from http import HTTPStatus
from pathlib import Path

import click
import sqlalchemy as sa

from webapp import create_app
from webapp.commands.books import JSON, answer, application, books
from webapp.config import is_loopback
from webapp.database.sessions import begin_write, db
from webapp.demo import studio
from webapp.demo.countries import COUNTRIES, GERMANY, StudioCountry
from webapp.models import Organization
from webapp.services.access import users
from webapp.services.audit import action_requests
from webapp.services.demo import making
from webapp.services.demo.making import PLOTTER, Made

# Three years.
DEPRECIATED_MONTHS = 36
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


FILE_NAME = "demo_sign_in"


@click.command()
@click.option("--if-empty", is_flag=True, help="Do nothing where there is an organization already.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="The seed of the invented studio.",
)
@click.option(
    "--day",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="The present day of the demo; default: today.",
)
@click.option(
    "--country",
    type=click.Choice(list(COUNTRIES)),
    help="Where the studio is, with the accounts and the tax return of there.",
)
@JSON
def demo(*, if_empty: bool, seed: int, day: datetime | None, country: str | None, as_json: bool) -> None:
    """Create a demo organization: a design studio with four bank accounts and fourteen months."""
    now, there = datetime.now(UTC), COUNTRIES.get(country or "", GERMANY)
    with books() as settings:
        if not is_loopback(settings.host):
            raise click.ClickException(
                f"HOST is {settings.host}: the demo's password is kept in a file and is for this machine only. "
                "Unset HOST, or create your own books with tieout create-organization."
            )
        begin_write()
        if if_empty and db.session.scalar(sa.select(Organization.id).limit(1)) is not None:
            click.echo("There are books already; no demo was created.", err=True)
            return
        sign_in = SignIn(studio.OWNER_EMAIL, _password())
        present = day.date() if day else now.date()
        made = _make(seed, present, there, sign_in, now)
        # A receipt that comes late is part of the story, and no news to an operator.
        action_requests.untold()
        organization_id = made.organization.id
        keep(settings.instance_path, sign_in)
        db.session.commit()
    with _without_request_log():
        _propose(made.agent_key, present.replace(day=1) - timedelta(days=1), there)
    value = {"organizationId": organization_id, "email": sign_in.email, "password": sign_in.password}
    answer(value, f"Sign in as {sign_in.email} with {sign_in.password}", as_json=as_json)


def _make(seed: int, day: date, country: StudioCountry, sign_in: SignIn, now: datetime) -> Made:
    owner = users.find_or_create(sign_in.email, name=studio.OWNER_NAME, now=now)
    users.set_password(sign_in.email, users.hash_password(sign_in.password))
    return making.make(owner, seed=seed, day=day, country=country)


@contextmanager
def _without_request_log() -> Iterator[None]:
    """Suppress the log of requests, since no operator made them."""
    log = logging.getLogger("tieout.requests")
    before = log.level
    log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        log.setLevel(before)


def _propose(key: str, day: date, country: StudioCountry) -> None:
    """Propose a month's depreciation on a day over the API, like an agent."""
    agent = application(make=create_app).test_client()
    headers = {"Authorization": f"Bearer {key}"}
    accounts = agent.get("/api/accounts?limit=200", headers=headers).get_json()["accounts"]
    of_code = {each["code"]: each["id"] for each in accounts}
    month = (PLOTTER / DEPRECIATED_MONTHS).quantize(Decimal("0.01"))
    entry = {
        "effectiveAt": day.isoformat(),
        "description": "Monthly depreciation of the plotter",
        "postings": [
            {"accountId": of_code[country.codes.get("6800", "6800")], "amount": f"{month}"},
            {"accountId": of_code[country.codes.get("1510", "1510")], "amount": f"-{month}"},
        ],
        "post": True,
    }
    answer = agent.post("/api/journal-entries", json=entry, headers=headers)
    if answer.status_code != HTTPStatus.ACCEPTED:
        raise click.ClickException(f"The demo's agent was answered {answer.status}: {answer.text}")


def _password() -> str:
    """Make a random password that is easy to type: four times five letters."""
    return "-".join("".join(secrets.choice(LETTERS) for _ in range(5)) for _ in range(4))


@dataclass(frozen=True, slots=True)
class SignIn:
    """An email address and a password in plain text: the demo's, and nobody else's."""

    email: str
    password: str


def keep(instance_path: Path, sign_in: SignIn) -> None:
    """Write the sign-in over an earlier one, with mode 0600 from the first byte."""
    path = instance_path / FILE_NAME
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{sign_in.email}\n{sign_in.password}\n")


def kept(instance_path: Path) -> SignIn | None:
    """Read the sign-in, if there is one."""
    try:
        email, password = (instance_path / FILE_NAME).read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, ValueError):
        return None
    return SignIn(email, password)
