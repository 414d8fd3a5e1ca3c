"""Exports of the whole book to other systems."""

from __future__ import annotations

import contextlib
import os
import sys

import click

from webapp.commands.books import ORGANIZATION, books, require_organization
from webapp.database.sessions import begin_read
from webapp.queries.reports import exports

FORMATS = ("beancount", "hledger", "csv")


@click.command()
@click.argument("format_", metavar="beancount|hledger|csv", type=click.Choice(FORMATS))
@ORGANIZATION
def export(format_: str, organization_id: str) -> None:
    """Write the whole book to standard output, with a balance assertion from each standing proof."""
    with books():
        begin_read()
        require_organization(organization_id)
        for piece in exports.of(organization_id, format_).pieces:
            sys.stdout.write(piece)
    sys.stdout.flush()
    # A file that standard output goes to is on the disk when the command ends; what is no file cannot be.
    with contextlib.suppress(OSError):
        os.fsync(sys.stdout.fileno())
