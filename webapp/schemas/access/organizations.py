"""The schemas of the settings' forms of an organization and its members."""

from __future__ import annotations

from webapp.ledger.notation.locales import NOTATIONS
from webapp.ledger.scopes import ROLES
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.marks import JoinedMarks


class StartFormSchema(Schema):
    """New books."""

    name = fields.Name(required=True)
    base_currency = fields.Currency(required=True)


class OrganizationFormSchema(Schema):
    """The name, the time zone, the locale and the VAT ids of an organization."""

    name = fields.Name(required=True)
    time_zone = fields.Text(least=1, most=64, required=True)
    locale = fields.OneOf(*NOTATIONS, load_default=None)
    vat_ids = JoinedMarks()


class OrganizationChoiceFormSchema(Schema):
    """The organization to switch to."""

    organization_id = fields.Text(least=1, most=40, required=True)


class InvitationFormSchema(Schema):
    """An invitation."""

    name = fields.Name(required=True)
    email = fields.Text(least=1, most=320, required=True)
    role = fields.OneOf(*ROLES, required=True)


class RoleFormSchema(Schema):
    """A member's role."""

    role = fields.OneOf(*ROLES, required=True)
