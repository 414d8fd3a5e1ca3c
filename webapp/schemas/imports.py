"""The shapes of imports of bank files."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.paging import PageSchema

VERDICTS = ("NEW", "ALREADY_THERE", "POSSIBLY_THERE", "PENDING", "SKIPPED")


class ImportFormSchema(Schema):
    """The fields of an upload; the file itself is read as it streams in."""

    file = ma.fields.Raw(metadata={"type": "string", "format": "binary"})
    mapping = fields.ObjectText(load_default=None)
    dry_run = fields.FormFlag(load_default=False)
    fa_id = fields.FormId(load_default=None)


class ImportAccountSchema(Schema):
    """What a file says about one account; the sum and the days are of its booked lines."""

    fa_id = fields.Id(allow_none=True)
    external_id = ma.fields.String(allow_none=True)
    name = ma.fields.String()
    currency = fields.Currency()
    added = fields.Whole()
    already_there = fields.Whole()
    pending = fields.Whole()
    skipped = fields.Whole()
    sum = fields.Amount()
    first_date = fields.Day(allow_none=True)
    last_date = fields.Day(allow_none=True)
    opening_balance = fields.Amount(allow_none=True)
    opening_date = fields.Day(allow_none=True)
    closing_balance = fields.Amount(allow_none=True)
    closing_date = fields.Day(allow_none=True)


class ImportSchema(Schema):
    """One bank file: previewed, imported or refused."""

    id = fields.Id()
    file_name = ma.fields.String()
    format = ma.fields.String(allow_none=True)
    status = fields.Word("PREVIEWED", "IMPORTED", "REFUSED")
    error = ma.fields.String(allow_none=True)
    warnings = ma.fields.List(ma.fields.String())
    accounts = ma.fields.List(ma.fields.Nested(ImportAccountSchema))


class ImportLineSchema(Schema):
    """A row of a file, and what becomes of it."""

    row = fields.Whole()
    verdict = fields.Word(*VERDICTS)
    reason = ma.fields.String()
    fa_id = fields.Id(allow_none=True)
    transaction_id = fields.Id(allow_none=True)
    booked_on = fields.Day(allow_none=True)
    amount = fields.Amount(allow_none=True)
    currency = fields.Currency(allow_none=True)
    description = ma.fields.String()
    counterparty = ma.fields.String(allow_none=True)
    provider_transaction_id = ma.fields.String(allow_none=True)


class ImportLineQuerySchema(PageSchema):
    """Which rows of a file to list."""

    verdict = fields.Word(*VERDICTS, load_default=None)
