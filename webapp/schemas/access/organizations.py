"""The shapes of what the settings' forms say of an organization and its members."""

from __future__ import annotations

from webapp.ledger.scopes import ROLES
from webapp.schemas import fields
from webapp.schemas.base import Schema


class StartFormSchema(Schema):
    """Books to open."""

    name = fields.Name(required=True)
    base_currency = fields.Currency(required=True)


class OrganizationFormSchema(Schema):
    """What an organization is called, and where it is."""

    name = fields.Name(required=True)
    time_zone = fields.Text(least=1, most=64, required=True)


class ChooseFormSchema(Schema):
    """Which organization to go to."""

    organization_id = fields.Text(least=1, most=40, required=True)


class MemberFormSchema(Schema):
    """A member to add."""

    name = fields.Name(required=True)
    email = fields.Text(least=1, most=320, required=True)
    role = fields.Word(*ROLES, required=True)


class RoleFormSchema(Schema):
    """What a member may do."""

    role = fields.Word(*ROLES, required=True)
