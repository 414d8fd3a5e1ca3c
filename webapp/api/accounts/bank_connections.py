"""Connections to providers of bank lines, over JSON."""

from typing import Any

import marshmallow as ma

from webapp import queries, services
from webapp.queries.common.paging import Page
from webapp.queries.imports.bank_connections import BankConnectionRecord
from webapp.schemas.bank_connections import (
    BankConnectionChangesSchema,
    BankConnectionSchema,
    BankProviderSchema,
    JobSchema,
    NewBankConnectionSchema,
    ProvidersQuerySchema,
    RenewalSchema,
)
from webapp.schemas.base import Schema
from webapp.schemas.paging import changing, listing, wrapped
from webapp.services.banks.connections import ConnectionChanges, ConnectionInput
from webapp.web import consents, paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, begin, demand, organization_id, requires
from webapp.web.access.blueprints import Blueprint

bp = Blueprint("api_bank_connections", __name__, url_prefix="/api/feeds", description="Bank connections")
AnswerSchema = wrapped("connection", BankConnectionSchema)


class RenewedSchema(AnswerSchema):  # type: ignore[misc,valid-type]
    """A connection, and where a person gives the consent to it."""

    consent_address = ma.fields.String(
        allow_none=True, metadata={"description": "The address at which a person gives the consent."}
    )


class BankProvidersSchema(Schema):
    """The providers that can be asked for lines."""

    providers = ma.fields.List(ma.fields.Nested(BankProviderSchema))


@bp.get("/providers")
@requires("read", begins=False)
@bp.arguments(ProvidersQuerySchema, location="query")
@bp.response(200, BankProvidersSchema)
def providers(query: dict[str, str]) -> dict[str, Any]:
    """List the providers of bank lines, with what each needs; for an owner who names a country also its banks."""
    found: list[dict[str, Any]] = [
        {
            **each,
            "banks": [],
            "is_set_up": each["provider"] == "simplefin" or bool(consents.way().application.id),
        }
        for each in services.banks.connections.PROVIDERS
    ]
    if "country" in query:
        demand("admin")
        found[-1]["banks"] = services.banks.enablebanking.banks(consents.way(), query["country"])
    return {"providers": found}


@bp.get("/connections")
@requires("read")
@bp.response(200, listing("connections", BankConnectionSchema))
def listed() -> dict[str, Any]:
    """List the connections, newest first, each with its accounts."""
    found = queries.imports.bank_connections.listed(organization_id(), requests.now())
    return paging.answer("connections", Page(found, None, len(found)))


@bp.post("/connections")
@requires("admin", is_secret=True)
@bp.arguments(NewBankConnectionSchema)
@bp.response(201, AnswerSchema)
def connect(body: ConnectionInput) -> dict[str, Any]:
    """Make a connection; nothing of an account is fetched before somebody says where it belongs."""
    return shown(services.banks.connections.connect(body, **acting()).id)


@bp.patch("/connections/<id:connection_id>")
@requires("admin")
@bp.arguments(BankConnectionChangesSchema)
@bp.response(200, changing(AnswerSchema))
def change(changes: ConnectionChanges, connection_id: int) -> dict[str, Any]:
    """Rename or pause a connection, or attach its accounts to bank accounts of the books."""
    connection = queries.imports.bank_connections.get(organization_id(), connection_id)
    services.banks.connections.change(connection, changes, **acting())
    return shown(connection_id)


@bp.delete("/connections/<id:connection_id>")
@requires("admin")
@bp.response(200, changing(AnswerSchema))
def end(connection_id: int) -> dict[str, Any]:
    """End a connection: its secrets are deleted, and the bank accounts stay with all their lines."""
    connection = queries.imports.bank_connections.get(organization_id(), connection_id)
    services.banks.connections.end(connection, **acting())
    return shown(connection_id)


@bp.post("/connections/<id:connection_id>/sync")
@requires("draft")
@bp.response(202, wrapped("job", JobSchema))
def sync(connection_id: int) -> dict[str, Any]:
    """Let a connection be asked for new lines at once; 409 while it is."""
    connection = queries.imports.bank_connections.get(organization_id(), connection_id)
    job_id = services.banks.connections.sync(connection, **acting())
    return {"job": queries.access.jobs.get(organization_id(), job_id)}


@bp.post("/connections/<id:connection_id>/renew")
@requires("admin", begins=False, is_secret=True)
@bp.arguments(RenewalSchema)
@bp.response(200, changing(RenewedSchema))
def renew(body: dict[str, str], connection_id: int) -> dict[str, Any]:
    """Put a new secret in the place of one that opens no more; all accounts stay attached.

    Without one, a consent begins where the provider has consents: open `consentAddress` in a browser.
    """
    address = None if body else consents.begun(connection_id)
    begin()
    if body:
        connection = queries.imports.bank_connections.get(organization_id(), connection_id)
        code = body.get("code", "")
        opens = body.get("setup_token") or services.banks.consents.copied(connection, code, requests.now())
        services.banks.connections.renew(connection, opens, **acting())
    return {**shown(connection_id), "consent_address": address}


def shown(connection_id: int) -> dict[str, BankConnectionRecord]:
    """Give one connection as it is now."""
    connection = queries.imports.bank_connections.get(organization_id(), connection_id)
    return {"connection": queries.imports.bank_connections.record(connection, requests.now())}
