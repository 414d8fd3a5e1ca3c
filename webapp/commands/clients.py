"""Clients that may ask people to connect them by OAuth, beside those that are shipped."""

from pathlib import Path

import click
from flask import current_app

from webapp.commands.books import JSON, aligned, answer, books
from webapp.queries.access import clients
from webapp.services.access.clients import write

LONGEST_ID = 512


@click.group("oauth-client")
def oauth_client() -> None:
    """Add, list and remove the programs that people may connect by OAuth; Claude and ChatGPT are known already."""


@oauth_client.command("add")
@click.argument("client_id")
@click.option("--name", required=True, help="What people know it as.")
@click.option(
    "--redirect",
    "redirects",
    required=True,
    multiple=True,
    metavar="URL",
    help="An address that it has people sent back to, letter by letter; on this machine with any port.",
)
@JSON
def add(client_id: str, name: str, redirects: tuple[str, ...], *, as_json: bool) -> None:
    """Add a client, or change the one of this id."""
    if not (0 < len(client_id) <= LONGEST_ID and client_id.isascii() and client_id.isprintable()):
        raise click.UsageError(f"A client id has 1 to {LONGEST_ID} printable ASCII characters.")
    for address in redirects:
        if not clients.may_return(address):
            raise click.UsageError(
                f"{address} is no address to go back to; write an https one without a fragment."
            )
    made = {"clientId": client_id, "name": name, "redirects": list(redirects)}
    with books():
        folder = Path(current_app.instance_path)
        others = [each for each in clients.all_added(folder) if each["clientId"] != client_id]
        write(folder / clients.ADDED, [*others, made])
    answer(made, f"{name} may ask to be connected.", as_json=as_json)


@oauth_client.command("list")
@JSON
def list_clients(*, as_json: bool) -> None:
    """List the clients that were added."""
    with books():
        found = clients.all_added(Path(current_app.instance_path))
    rows = [(each["clientId"], each["name"], " ".join(each["redirects"])) for each in found]
    answer(found, aligned(rows) or "No client was added.", as_json=as_json)


@oauth_client.command("remove")
@click.argument("client_id")
@JSON
def remove(client_id: str, *, as_json: bool) -> None:
    """Remove a client that was added; its connections go on until a person disconnects them."""
    with books():
        folder = Path(current_app.instance_path)
        found = clients.all_added(folder)
        others = [each for each in found if each["clientId"] != client_id]
        if len(others) == len(found):
            raise click.UsageError("There is no such client; tieout oauth-client list shows them.")
        write(folder / clients.ADDED, others)
    answer({"ok": True}, "It may no longer ask to be connected.", as_json=as_json)
