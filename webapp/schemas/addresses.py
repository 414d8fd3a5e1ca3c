"""What the addresses and the forms of pages say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import marshmallow as ma

from webapp.ledger.suggestions.habits import LONGEST_KEY
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.paging import PageSchema

SHOWS = ("statement", "open", "unconfirmed", "pending", "all")


class AddressSchema(Schema):
    """What a page's address says; a link from elsewhere may carry more."""

    class Meta:
        """Unknown names are left out."""

        unknown = ma.EXCLUDE

    @ma.pre_load
    def leave_out_empty(self, data: Mapping[str, str], **kwargs: object) -> dict[str, str]:
        """Take an empty field for one that was not filled in."""
        del kwargs
        return {name: value for name, value in data.items() if value.strip()}

    @classmethod
    def read_leniently(cls, query: str) -> dict[str, Any]:
        """Read a query string, leaving out what it says wrongly."""
        return cls.read_leniently_of(dict(parse_qsl(query)))

    @classmethod
    def read_leniently_of(cls, said: Mapping[str, str]) -> dict[str, Any]:
        """Read what a form or an address says, leaving out what it says wrongly."""
        schema = cls()
        named = dict(said.items())
        wrong = schema.validate(named)
        return dict(schema.load({name: value for name, value in named.items() if name not in wrong}))


class WorkspaceQuerySchema(AddressSchema, PageSchema):
    """Which lines to show, which of them is open, and what is being edited of it."""

    show = fields.Word(*SHOWS, load_default=None)
    q = fields.Text(least=1, most=255, load_default=None)
    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)
    line = fields.FormId(load_default=None)
    edit = fields.Word("splits", "description", "why", load_default=None)


class HubPageQuerySchema(AddressSchema):
    """The day of the bank balances."""

    as_of = fields.Day(load_default=None)


class ImportsPageQuerySchema(AddressSchema, PageSchema):
    """Which imports to list, and the account that a new one is for."""

    fa_id = fields.FormId(load_default=None)


class ImportPageQuerySchema(AddressSchema):
    """Which rows of a file to show."""

    show = fields.Word(
        "ALL", "NEW", "ALREADY_THERE", "POSSIBLY_THERE", "PENDING", "SKIPPED", "REFUSED", load_default="ALL"
    )
    cursor = fields.Text(most=2000, load_default=None)


class OpenItemsPageSchema(AddressSchema, PageSchema):
    """Which open items the page of transfers lists."""

    account_id = fields.FormId(load_default=None)


class VersionsPageSchema(AddressSchema, PageSchema):
    """Which versions of a rule to list."""


class RunsPageSchema(AddressSchema, PageSchema):
    """Which runs of rules to list, or which lines of one."""


class RuleLinesPageSchema(AddressSchema, PageSchema):
    """Which lines of the past a rule is tried on, and whether those that change are shown first or all by id."""

    show = fields.Word("first", "all", load_default="first")
    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)
    fa_id = fields.FormId(load_default=None)


class NewRulePageSchema(AddressSchema):
    """What a new rule begins with: a copy of another one, a suggestion by its key, or a condition and what it sets."""

    copy = fields.FormId(load_default=None)
    suggestion = fields.Text(most=LONGEST_KEY, load_default=None)
    name = fields.Text(most=255, load_default=None)
    field = fields.Text(most=32, load_default=None)
    operator = fields.Text(most=32, load_default=None)
    value = fields.Text(most=4000, load_default=None)
    account_id = fields.FormId(load_default=None)
    org_merchant_id = fields.FormId(load_default=None)
    project_id = fields.FormId(load_default=None)
