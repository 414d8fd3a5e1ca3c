"""`tieout mcp`: the choice of the service behind standard input and output."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from dataclasses import replace

import click

from webapp.commands.books import application, require_revision, require_safe_role
from webapp.commands.failures import FailedError
from webapp.commands.stdio.relay import Relay
from webapp.commands.stdio.services import AskedService, LocalService, RemoteService
from webapp.config import LOOPBACK_HOSTS, SettingTexts


@click.command()
def mcp() -> None:
    """Answer the Model Context Protocol on standard input and output, for clients that start a program.

    TIEOUT_TOKEN is an API key, and TIEOUT_URL the address of the service. Without TIEOUT_URL the books of this
    installation are used. One JSON message a line is read and answered; nothing else is written to standard output.
    """
    texts = SettingTexts()
    token, url = texts.text("TIEOUT_TOKEN", ""), texts.text("TIEOUT_URL", "")
    if not token:
        raise FailedError(
            "Set TIEOUT_TOKEN to an API key: Settings, API keys, or tieout create-token.", "unsafe_setting"
        )
    output = sys.stdout.buffer
    with redirect_stdout(sys.stderr):
        Relay(_remote(url, token) if url else _local(token), output).run(sys.stdin.buffer)


def _remote(url: str, token: str) -> AskedService:
    service = RemoteService(url, token)
    if service.is_readable_on_the_way:
        click.echo(f"{service.name} is no HTTPS: whoever is on the way to it can read the API key.", err=True)
    return service


def _local(token: str) -> AskedService:
    app = application(maintains=False)
    service = LocalService(app, token)
    # No visitor comes by a name, and no proxy is in between.
    app.config["SETTINGS"] = replace(app.config["SETTINGS"], trusted_hosts=LOOPBACK_HOSTS)
    with app.app_context():
        require_revision()
        require_safe_role()
    return service
