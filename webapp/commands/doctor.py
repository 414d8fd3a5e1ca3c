"""The doctor: what will hurt this installation, and how to mend it."""

from datetime import UTC, datetime

import click

from webapp import create_app
from webapp.commands.books import JSON, answer
from webapp.config import Settings, UnsafeSettingError
from webapp.database.command_limits import unlimited
from webapp.database.sessions import db
from webapp.database.tenancy import maintenance
from webapp.services.operating.diagnosis import Symptom, examine


@click.command()
@click.option("--quick", is_flag=True, help="Leave out the check of all books, which takes the longest.")
@JSON
@click.pass_context
def doctor(context: click.Context, *, quick: bool, as_json: bool) -> None:
    """Say what will hurt this installation, each with what mends it; exit status 1 if something will."""
    found = list(_found(quick=quick))
    lines = [line for each in found for line in (each.sentence, f"    {each.mend}")]
    value = {"ok": not any(each.hurts for each in found), "findings": [each._asdict() for each in found]}
    answer(value, "\n".join(lines) or "This installation is in order.", as_json=as_json)
    if not value["ok"]:
        context.exit(1)


def _found(*, quick: bool) -> list[Symptom]:
    try:
        settings = Settings.from_environment(maintains=True)
        app = create_app(settings)
        with app.app_context(), unlimited(), maintenance():
            try:
                return list(examine(settings, now=datetime.now(UTC), quick=quick))
            finally:
                db.session.rollback()
                db.engine.dispose()
    except UnsafeSettingError as error:
        sentence, _, mend = str(error).partition(" Run: ")
        return [Symptom("unsafe_setting", sentence, mend or "See the sentence.")]
