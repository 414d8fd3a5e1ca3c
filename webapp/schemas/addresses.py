"""The schemas of the queries of pages."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import marshmallow as ma

from webapp.ledger.suggestions.habits import LONGEST_KEY
from webapp.schemas import fields
from webapp.schemas.base import EmptyAsMissing
from webapp.schemas.paging import PageSchema

SHOWS = ("statement", "open", "unconfirmed", "pending", "all")


class AddressSchema(EmptyAsMissing):
    """The query of a page; unknown parameters are ignored, since a link from elsewhere may have more."""

    class Meta:
        """Unknown names are left out."""

        unknown = ma.EXCLUDE

    @classmethod
    def read_leniently(cls, query: str) -> dict[str, Any]:
        """Read a query string, and ignore invalid values."""
        return cls.read_leniently_of(dict(parse_qsl(query)))

    @classmethod
    def read_leniently_of(cls, values: Mapping[str, str]) -> dict[str, Any]:
        """Read the values of a form or a query, and ignore invalid ones."""
        schema = cls()
        sent = dict(values.items())
        invalid = schema.validate(sent)
        return dict(schema.load({name: value for name, value in sent.items() if name not in invalid}))


class WorkspaceQuerySchema(AddressSchema, PageSchema):
    """The lines to show, the open one, and the part of it that is edited."""

    show = fields.OneOf(*SHOWS, load_default=None)
    q = fields.Text(least=1, most=255, load_default=None)
    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)
    project_id = fields.FormId(load_default=None)
    project_group_id = fields.FormId(load_default=None)
    org_merchant_id = fields.FormId(load_default=None)
    line = fields.FormId(load_default=None)
    selected = fields.Text(most=2000, load_default="")
    edit = fields.OneOf(
        "splits",
        "description",
        "why",
        "documents",
        "payments",
        "confirm",
        "restore",
        "delete",
        "closed",
        load_default=None,
    )


class FindingQuerySchema(AddressSchema):
    """What is searched for."""

    q = fields.Text(least=1, most=255, load_default=None)


class InboxPageQuerySchema(AddressSchema, PageSchema):
    """The pages of the files that wait, and of those that were given."""

    before = fields.Text(most=2000, load_default=None)


class HubPageQuerySchema(AddressSchema):
    """The day of the bank balances."""

    as_of = fields.Day(load_default=None)


class ChangesPageSchema(AddressSchema):
    """The number of the audit chain that a page has seen."""

    since = fields.Digits(least=0, most=fields.LARGEST_ID, load_default=0)


class TypedDaySchema(AddressSchema):
    """A day as it is typed."""

    text = fields.Text(most=255, load_default="")


class ImportsPageQuerySchema(AddressSchema, PageSchema):
    """The page of imports to list, and the account of a new one."""

    fa_id = fields.FormId(load_default=None)


class ImportPageQuerySchema(AddressSchema):
    """Which rows of a file to show."""

    show = fields.OneOf(
        "ALL", "NEW", "ALREADY_THERE", "POSSIBLY_THERE", "PENDING", "SKIPPED", "REFUSED", load_default="ALL"
    )
    cursor = fields.Text(most=2000, load_default=None)


class OpenItemsPageSchema(AddressSchema, PageSchema):
    """Which open items the page of transfers lists, up to a day."""

    account_id = fields.FormId(load_default=None)
    to = fields.Day(load_default=None)


class SchedulesPageSchema(AddressSchema, PageSchema):
    """Which schedules to list, and the posting of an entry that a new one is to spread."""

    spread = fields.FormId(load_default=None)
    account_id = fields.FormId(load_default=None)


class VersionsPageSchema(AddressSchema, PageSchema):
    """Which versions of a rule to list."""


class RunsPageSchema(AddressSchema, PageSchema):
    """Which runs of rules to list, or which lines of one."""


class RuleLinesPageSchema(AddressSchema, PageSchema):
    """The past lines on which a rule is previewed, with those that change first or all by id.

    `back` is the list of lines that somebody came from: the id of its account, `?`, and its filters as in an address.
    """

    show = fields.OneOf("first", "all", load_default="first")
    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)
    fa_id = fields.FormId(load_default=None)
    back = fields.Text(most=4000, load_default=None)


class NewRulePageSchema(AddressSchema):
    """The contents of a new rule: a copy of another one, a suggestion by its key, or a condition and its effects."""

    copy = fields.FormId(load_default=None)
    suggestion = fields.Text(most=LONGEST_KEY, load_default=None)
    name = fields.Text(most=255, load_default=None)
    field = fields.Text(most=32, load_default=None)
    operator = fields.Text(most=32, load_default=None)
    value = fields.Text(most=4000, load_default=None)
    direction = fields.OneOf("IN", "OUT", load_default=None)
    of_fa_id = fields.FormId(load_default=None)
    account_id = fields.FormId(load_default=None)
    org_merchant_id = fields.FormId(load_default=None)
    project_id = fields.FormId(load_default=None)
