"""The doctor: what will hurt this installation, and how to mend it; and whether its server is ready."""

import http.client
from datetime import UTC, datetime

import click

from webapp import books_alone
from webapp.commands import connector as connectors
from webapp.commands.books import JSON, answer
from webapp.commands.failures import FailedError
from webapp.config import Settings, UnsafeSettingError, is_loopback
from webapp.database.command_limits import unlimited
from webapp.database.sessions import db
from webapp.database.tenancy import maintenance
from webapp.services.operating.diagnosis import examine
from webapp.services.operating.machine import Symptom

HEALTH_SECONDS = 5
ALL_STEPS = "A chat client can connect: each step up to a person's sign-in works."


@click.command()
@JSON
def health(*, as_json: bool) -> None:
    """Ask the server of this installation whether it is ready; exit status 1 if it is not."""
    try:
        settings = Settings.from_environment()
    except UnsafeSettingError as error:
        raise click.ClickException(str(error)) from error
    connection = http.client.HTTPConnection(settings.own_bind, timeout=HEALTH_SECONDS)
    try:
        connection.request("GET", "/readyz", headers={"Host": own_name(settings.trusted_hosts)})
        response = connection.getresponse()
        code = response.read().decode().strip()
    except (OSError, http.client.HTTPException) as error:
        sentence = f"No server answers at {settings.address} ({error}). Run: tieout serve"
        raise FailedError(sentence, "not_ready") from error
    finally:
        connection.close()
    if response.status != http.client.OK:
        why = code if code.replace("_", "").isalpha() else f"it answers {response.status}"
        raise FailedError(f"The server at {settings.address} is not ready: {why}.", "not_ready")
    answer({"ok": True, "degraded": response.getheader("X-Degraded") or ""}, "ok", as_json=as_json)


def own_name(trusted: tuple[str, ...]) -> str:
    """Choose the name under which a server serves: one of this machine if it may be.

    >>> own_name(("books.example", "localhost")), own_name((".example",))
    ('localhost', 'health.example')
    """
    name = next((each for each in trusted if is_loopback(each)), trusted[0])
    return f"health{name}" if name.startswith(".") else name


@click.command()
@click.option("--quick", is_flag=True, help="Leave out the check of all books, which takes the longest.")
@click.option(
    "--connector", metavar="URL", help="Only play what a chat client does to connect to this address."
)
@JSON
@click.pass_context
def doctor(context: click.Context, *, quick: bool, connector: str | None, as_json: bool) -> None:
    """Say what will hurt this installation, each with what mends it; exit status 1 if something will."""
    found = list(_found(quick=quick) if connector is None else connectors.examine(connector))
    lines = [line for each in found for line in (each.sentence, f"    {each.mend}")]
    value = {"ok": not any(each.hurts for each in found), "findings": [each._asdict() for each in found]}
    answer(
        value,
        "\n".join(lines) or (ALL_STEPS if connector else "This installation is in order."),
        as_json=as_json,
    )
    if not value["ok"]:
        context.exit(1)


def _found(*, quick: bool) -> list[Symptom]:
    try:
        settings = Settings.from_environment(maintains=True)
        app = books_alone(settings)
        with app.app_context(), unlimited(), maintenance():
            try:
                return list(examine(settings, now=datetime.now(UTC), quick=quick))
            finally:
                db.session.rollback()
                db.engine.dispose()
    except UnsafeSettingError as error:
        sentence, _, mend = str(error).partition(" Run: ")
        return [Symptom("unsafe_setting", sentence, mend or "See the sentence.")]
