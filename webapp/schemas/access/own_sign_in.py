"""The schemas of a person's own sign-in: the forms of its page, and its address."""

from __future__ import annotations

from webapp.ledger.notation.locales import NOTATIONS
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema

LONGEST_PASSWORD, LONGEST_REFERENCE = 1000, 64


class OwnPasswordFormSchema(Schema):
    """The present password and a new one."""

    current = fields.Text(least=1, most=LONGEST_PASSWORD, required=True)
    password = fields.Text(least=1, most=LONGEST_PASSWORD, required=True)
    revoke_keys = fields.FormFlag(load_default=False)


class OwnSessionFormSchema(Schema):
    """The session to end."""

    session = fields.Text(least=1, most=LONGEST_REFERENCE, required=True)


class LetterKeysFormSchema(Schema):
    """Whether letters are keys on pages."""

    is_on = fields.FormFlag(required=True)


class OwnLocaleFormSchema(Schema):
    """The locale of a person's pages; none for the organization's."""

    locale = fields.OneOf(*NOTATIONS, load_default=None, allow_none=True)


class OwnSignInPageSchema(AddressSchema):
    """What has just been done, for the sentence about it."""

    done = fields.OneOf("password", "session", "locale", load_default=None)
