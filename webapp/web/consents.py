"""Consents at banks, begun from a request: the bank's side is asked for an address while no transaction is open."""

from collections.abc import Mapping

from flask import url_for

from webapp import queries, services
from webapp.database import failures, sessions
from webapp.database.sessions import db
from webapp.services.banks.answers import Application, Way
from webapp.services.operating.outbound import Gate
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, settings


def way() -> Way:
    """Give the way to providers that the settings open."""
    return Way(Gate(*settings().outbound), Application(*settings().enablebanking), requests.now())


def begun(connection_id: int) -> str:
    """Begin a consent, and give the address at which a person gives it."""
    sessions.begin_write(organization_id())
    connection = queries.imports.bank_connections.get(organization_id(), connection_id)
    facts, state = connection.settings, services.banks.consents.begin(connection, requests.now())
    failures.commit(db.session())
    back = settings().public_url and settings().public_url + url_for("own_books.come_back_from_bank")
    return services.banks.enablebanking.consent_address(way(), facts, back, state)


def take(connection_id: int, sent: Mapping[str, str]) -> None:
    """Open a connection with what a bank sent the browser back with."""
    sessions.begin_write(organization_id())
    connection = queries.imports.bank_connections.get(organization_id(), connection_id)
    code = services.banks.consents.code_of(connection, sent, requests.now())
    services.banks.connections.renew(connection, code, **acting())
