"""Tax returns over JSON."""

import io
from collections.abc import Callable
from typing import Any

from flask import Response

from webapp import queries, services
from webapp.queries.tax.returns import ReturnRecord
from webapp.schemas.paging import changing, listing, wrapped
from webapp.schemas.tax.returns import (
    FilingSchema,
    OpenReturnFileQuerySchema,
    OpenReturnQuerySchema,
    ReadReturnSchema,
    ReturnCodesSchema,
    ReturnFileQuerySchema,
    ReturnPostingQuerySchema,
    ReturnPostingSchema,
    ReturnQuerySchema,
    TaxReturnSchema,
    WithdrawalSchema,
)
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, requires
from webapp.web.access.blueprints import Blueprint
from webapp.web.written_files import downloaded, spooled

bp = Blueprint("api_tax_returns", __name__, url_prefix="/api/tax/returns", description="Tax returns")
AnswerSchema = wrapped("taxReturn", ReadReturnSchema)
FILE = {"content_type": "application/octet-stream", "description": "A file of CSV, XLSX or JSON"}


@bp.get("")
@requires("read")
@bp.arguments(ReturnQuerySchema, location="query")
@bp.response(200, listing("taxReturns", TaxReturnSchema))
def listed(query: dict[str, Any]) -> dict[str, Any]:
    """List filed and withdrawn returns, the newest first."""
    return paging.listed("taxReturns", "di", query, queries.tax.returns.listed)


@bp.get("/open")
@requires("read")
@bp.arguments(OpenReturnQuerySchema, location="query")
@bp.response(200, AnswerSchema)
def read_open(query: dict[str, Any]) -> dict[str, Any]:
    """Compute the open return of a form: all that is in no return yet, up to the end of a period."""
    organization = queries.access.organizations.get(organization_id())
    today = queries.access.organizations.today(organization.id, requests.now())
    found = queries.tax.returns.open_return(organization, **query).record
    return {"taxReturn": queries.tax.before_filing.with_warnings(organization, found, today)}


@bp.get("/<id:return_id>")
@requires("read")
@bp.response(200, AnswerSchema)
def read(return_id: int) -> dict[str, Any]:
    """Read a return as it was filed, with what came for its period since: who added it, and to which boxes."""
    filed = queries.tax.returns.get(organization_id(), return_id)
    return {"taxReturn": queries.tax.returns.with_later(filed)}


@bp.get("/open/codes")
@requires("read")
@bp.arguments(OpenReturnQuerySchema, location="query")
@bp.response(200, ReturnCodesSchema)
def codes_of_open(query: dict[str, Any]) -> dict[str, Any]:
    """List what each tax code adds to the boxes of the open return of a form."""
    organization = queries.access.organizations.get(organization_id())
    found = queries.tax.returns.open_return(organization, **query)
    return {"codes": queries.tax.by_code.of_open(organization, found)}


@bp.get("/<id:return_id>/codes")
@requires("read")
@bp.response(200, ReturnCodesSchema)
def codes_of_filed(return_id: int) -> dict[str, Any]:
    """List what each tax code adds to the boxes of a filed return."""
    return {"codes": queries.tax.by_code.of_filed(queries.tax.returns.get(organization_id(), return_id))}


@bp.get("/open/file")
@requires("read", is_heavy=True)
@bp.arguments(OpenReturnFileQuerySchema, location="query")
@bp.response(200, **FILE)
def file_of_open(query: dict[str, Any]) -> Response:
    """Write the open return of a form to a file: each box with the postings behind it, or the authority's JSON."""
    organization, format_ = queries.access.organizations.get(organization_id()), query.pop("format")
    found = queries.tax.returns.open_return(organization, **query)
    return _sent(found.record, format_, lambda: queries.tax.return_files.of_open(organization.id, found))


@bp.get("/<id:return_id>/file")
@requires("read", is_heavy=True)
@bp.arguments(ReturnFileQuerySchema, location="query")
@bp.response(200, **FILE)
def file_of_filed(query: dict[str, Any], return_id: int) -> Response:
    """Write a filed return to a file: each box with the postings behind it, or the authority's JSON."""
    filed = queries.tax.returns.get(organization_id(), return_id)
    made = queries.tax.returns.record(filed)
    return _sent(made, query["format"], lambda: queries.tax.return_files.of_filed(filed, made))


def _sent(made: ReturnRecord, format_: str, table: Callable[[], Any]) -> Response:
    name = f"{made.form}-{made.to}.{format_}"
    if format_ == "json":
        written = queries.tax.return_files.json_of(made).encode()
        return downloaded(io.BytesIO(written), name, "application/json")
    found, file = table(), spooled()
    return downloaded(file, name, queries.reports.report_tables.write(found, format_, file))


@bp.get("/<id:return_id>/postings")
@requires("read")
@bp.arguments(ReturnPostingQuerySchema, location="query")
@bp.response(200, listing("postings", ReturnPostingSchema))
def postings(query: dict[str, Any], return_id: int) -> dict[str, Any]:
    """List the postings that a filed return has in a box, or in all."""
    filed = queries.tax.returns.get(organization_id(), return_id)
    return paging.listed("postings", "di", query, queries.tax.returns.postings, filed=filed)


@bp.post("")
@requires("confirm")
@bp.arguments(FilingSchema)
@bp.response(201, AnswerSchema)
def file(body: dict[str, Any]) -> dict[str, Any]:
    """File the open return: what is in it stays in it, and the authority is owed what it says."""
    return {"taxReturn": services.tax.returns.file(**body, **acting())}


@bp.post("/<id:return_id>/withdraw")
@requires("confirm")
@bp.arguments(WithdrawalSchema)
@bp.response(200, changing(AnswerSchema))
def withdraw(body: dict[str, Any], return_id: int) -> dict[str, Any]:
    """Withdraw the newest return, of which nothing is paid."""
    filed = queries.tax.returns.get(organization_id(), return_id)
    return {"taxReturn": services.tax.returns.withdraw(filed, **body, **acting())}
