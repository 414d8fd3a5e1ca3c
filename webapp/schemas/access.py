"""The schemas of access: who asks, organizations and members, a person's own sign-in, and API keys."""

import re
from typing import Any

import marshmallow as ma

from webapp.ledger.chart import CHARTS, DEFAULT
from webapp.ledger.codes import AUTOMATIC, OPTIONAL_LETTERS, WEBHOOK_VIEWS
from webapp.ledger.notation.locales import LANGUAGES, NOTATIONS
from webapp.ledger.scopes import CLOSE, PRESETS, ROLES, SCOPES
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.marks import JoinedMarks

LONGEST_PASSWORD, LONGEST_REFERENCE = 1000, 64
EVENT_TYPE = re.compile(r"[a-z_*]{1,40}(\.[a-z*]{1,16})?")
CHOOSE = "Choose what the key may do."


def _described(sentence: str) -> dict[str, str]:
    return {"description": sentence}


class CallerBooksSchema(Schema):
    """The books that the caller acts in."""

    id = ma.fields.String()
    name = ma.fields.String()
    base_currency = fields.Currency()
    time_zone = ma.fields.String(metadata=_described("The name of a time zone, such as Europe/Berlin."))
    vat_ids = ma.fields.List(
        ma.fields.String(),
        metadata=_described("Its own VAT ids, by which invoices are recognised as its own."),
    )
    today = fields.Day(metadata=_described("The day that it is now in the time zone of the books."))
    lock_date = fields.Day(
        allow_none=True, metadata=_described("The last day of the closed period; null if nothing is closed.")
    )


class DailyEntriesSchema(Schema):
    """How many entries a key may post in a day."""

    most = ma.fields.Integer(allow_none=True, metadata=_described("Null for no cap."))
    posted = ma.fields.Integer(metadata=_described("The number of entries that it posted today."))
    left = ma.fields.Integer(allow_none=True, metadata=_described("Null for no cap."))


class DailyAmountSchema(Schema):
    """How much a key may post in a day: the debits of its entries in the base currency."""

    most = fields.Amount(allow_none=True, metadata=_described("Null for no cap."))
    posted = fields.Amount(metadata=_described("The sum that it posted today."))
    left = fields.Amount(allow_none=True, metadata=_described("Null for no cap."))


class CallerCapsSchema(Schema):
    """What a key may do in a day and in a minute; with the scope `propose`, what is more waits for a person."""

    entries_a_day = ma.fields.Nested(DailyEntriesSchema)
    amount_a_day = ma.fields.Nested(DailyAmountSchema)
    requests_a_minute = ma.fields.Integer(allow_none=True, metadata=_described("Null for no limit."))
    resets_at = fields.Timestamp()


class CallerSchema(Schema):
    """Who asks, in which books, what they may do there, and what is left of a key's caps today."""

    kind = fields.OneOf("PERSON", "TOKEN")
    id = fields.Id(metadata=_described("The id of the person, or of the API key."))
    name = ma.fields.String()
    owner = ma.fields.String(metadata=_described("The person behind the key."))
    role = fields.OneOf(*ROLES)
    scopes = ma.fields.List(fields.OneOf(*SCOPES, CLOSE))
    organization = ma.fields.Nested(CallerBooksSchema)
    waiting_proposals = ma.fields.Integer(
        metadata=_described("Of a key, its own proposals that wait; of a person, those to decide on.")
    )
    expires_at = fields.Timestamp(allow_none=True)
    caps = ma.fields.Nested(CallerCapsSchema, allow_none=True, metadata=_described("Null for a person."))
    version = ma.fields.String(metadata=_described("The version of Tieout."))


class StartFormSchema(Schema):
    """New books, and from the demo the name and the address of the person who starts them."""

    name = fields.Name(required=True)
    base_currency = fields.Currency(required=True)
    time_zone = fields.Text(least=1, most=64, load_default=None, allow_none=True)
    chart = fields.OneOf(*CHARTS, load_default=DEFAULT)
    own_name = fields.Name(load_default=None)
    email = fields.Text(least=1, most=320, load_default=None)


class FirstFormSchema(StartFormSchema):
    """The first books, and the person who starts them."""

    own_name = fields.Name(required=True)
    email = fields.Text(least=1, most=320, required=True)
    password = fields.Text(most=LONGEST_PASSWORD, load_default="")


class OrganizationFormSchema(Schema):
    """The name, the time zone, the locale and the VAT ids of an organization."""

    name = fields.Name(required=True)
    time_zone = fields.Text(least=1, most=64, required=True)
    locale = fields.OneOf(*NOTATIONS, load_default=None)
    vat_ids = JoinedMarks()
    write_off_limit = fields.Amount(load_default=None, allow_none=True)
    has_approving_keys = fields.FormFlag(load_default=False)
    needs_second_factor = fields.FormFlag(load_default=False)


class OrganizationChoiceFormSchema(Schema):
    """The organization to switch to."""

    organization_id = fields.Text(least=1, most=40, required=True)


class InvitationFormSchema(Schema):
    """An invitation."""

    name = fields.Name(required=True)
    email = fields.Text(least=1, most=320, required=True)
    role = fields.OneOf(*ROLES, required=True)
    ends_on = fields.Day(allow_none=True, load_default=None)


class MembershipEndSchema(Schema):
    """The last day of a membership."""

    ends_on = fields.Day(
        required=True,
        allow_none=True,
        metadata=_described("The last day on which the books are open to the member; null for no end."),
    )


class MembershipEndFormSchema(MembershipEndSchema):
    """The last day of a membership, from its form: empty for no end."""

    ends_on = fields.Day(allow_none=True, load_default=None)


class MemberSchema(MembershipEndSchema):
    """Somebody to whom the books are open, or were until a day."""

    id = fields.Id(metadata=_described("The id of the person."))
    name = ma.fields.String(metadata=_described("The name that the person goes by."))
    email = ma.fields.String(metadata=_described("The address that the person signs in with."))
    role = fields.OneOf(*ROLES)
    has_ended = ma.fields.Boolean(
        metadata=_described("Whether the last day is over in the books' time zone.")
    )
    created_at = fields.Timestamp()


class MembersSchema(Schema):
    """All members."""

    members = ma.fields.List(ma.fields.Nested(MemberSchema))


class RoleFormSchema(Schema):
    """A member's role."""

    role = fields.OneOf(*ROLES, required=True)


class OwnPasswordFormSchema(Schema):
    """The present password and a new one."""

    current = fields.Text(least=1, most=LONGEST_PASSWORD, required=True)
    password = fields.Text(least=1, most=LONGEST_PASSWORD, required=True)
    revoke_keys = fields.FormFlag(load_default=False)


class OwnPersonFormSchema(Schema):
    """A person's name and address, and the present password."""

    own_name = fields.Name(required=True)
    email = fields.Text(least=1, most=320, required=True)
    current = fields.Text(least=1, most=LONGEST_PASSWORD, required=True)


class AddressDecisionFormSchema(Schema):
    """Whether a member may have another address."""

    is_allowed = fields.FormFlag(required=True)


class OwnSessionFormSchema(Schema):
    """The session to end."""

    session = fields.Text(least=1, most=LONGEST_REFERENCE, required=True)


class PasskeyFormSchema(Schema):
    """What a browser answers of a new passkey, and what it is called."""

    name = fields.Name(required=True)
    credential = fields.Text(least=2, most=20_000, required=True)


class CurrentPasswordFormSchema(Schema):
    """The present password."""

    current = fields.Text(least=1, most=LONGEST_PASSWORD, required=True)


class IdentityFormSchema(Schema):
    """An account on another server."""

    issuer = fields.Text(least=1, most=512, required=True)
    subject = fields.Text(least=1, most=255, required=True)


class CodeFormSchema(Schema):
    """A code of an authenticator app."""

    code = fields.Text(least=1, most=40, required=True)


class LetterKeysFormSchema(Schema):
    """Whether letters are keys on pages."""

    is_on = fields.FormFlag(required=True)


class OwnLettersFormSchema(Schema):
    """The letters that a person wants."""

    letters = ma.fields.List(fields.OneOf(*OPTIONAL_LETTERS), load_default=list)


class OwnLocaleFormSchema(Schema):
    """The locale of a person's pages; none for the organization's."""

    locale = fields.OneOf(*NOTATIONS, load_default=None, allow_none=True)


class OwnLanguageFormSchema(Schema):
    """The language of a person's pages; none for the browser's."""

    language = fields.OneOf(*LANGUAGES, load_default=None, allow_none=True)


class ThemeFormSchema(Schema):
    """Whether a person's pages are light or dark; none for as the system has it."""

    theme = fields.OneOf("light", "dark", load_default=None, allow_none=True)


# The lists that have filters.
LIST = ma.validate.Regexp(r"/(journal|documents|merchants|owed|feeds/\d{1,18})\Z")


class SavedViewFormSchema(Schema):
    """The name of a saved view."""

    name = fields.Name(required=True)


class NewSavedViewFormSchema(SavedViewFormSchema):
    """A filter to save under a name: the path of its list in the books, and the query of its page."""

    path = ma.fields.String(required=True, validate=LIST)
    query = fields.Text(least=1, most=2000, required=True)


class ListAddressSchema(AddressSchema):
    """The list of which to show the saved views, and its filter."""

    path = ma.fields.String(load_default="", validate=LIST)
    query = fields.Text(most=2000, load_default="")


class OwnSignInPageSchema(AddressSchema):
    """What has just been done, for the sentence about it."""

    done = fields.OneOf(
        "password",
        "person",
        "passkey",
        "factor",
        "identity",
        "session",
        "locale",
        "language",
        "theme",
        "address",
        "asked",
        "letters",
        load_default=None,
    )


class JobSwitchFormSchema(Schema):
    """Whether something is done by itself."""

    kind = fields.OneOf(*AUTOMATIC, required=True)
    is_on = fields.FormFlag(required=True)


class WebhookTypes(fields.Text):
    """Types of events from the boxes of a form, each with commas between them: `*` stands for any text."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        typed = super()._deserialize(",".join(value), attr, data, **kwargs)
        found = list(dict.fromkeys(each.strip() for each in typed.split(",") if each.strip()))
        if not found or not all(EVENT_TYPE.fullmatch(each) for each in found):
            raise ma.ValidationError("Choose at least one.")
        return found


class WebhookFormSchema(Schema):
    """An address that is told what happens."""

    url = fields.Text(least=1, most=2000, required=True)
    types = WebhookTypes(
        least=1, most=1000, required=True, error_messages={"required": "Choose at least one."}
    )
    view = fields.OneOf(*WEBHOOK_VIEWS, load_default="THIN")


class WebhookSwitchFormSchema(Schema):
    """Whether a webhook goes on."""

    is_on = fields.FormFlag(required=True)


class _KeySchema(Schema):
    """The fields of all forms of a key: its name, its last day and its caps; an empty cap is none."""

    name = fields.Name(required=True)
    expires_on = fields.Day(allow_none=True, load_default=None)
    max_entries_a_day = fields.Digits(least=0, allow_none=True, load_default=None)
    max_amount_a_day = fields.Amount(allow_none=True, load_default=None)
    max_requests_a_minute = fields.Digits(least=1, most=1_000_000, allow_none=True, load_default=None)


class TokenFormSchema(_KeySchema):
    """A new key: its scopes are a preset or chosen one by one."""

    preset = fields.OneOf(*PRESETS, "own", load_default="own")
    scopes = ma.fields.List(fields.OneOf(*SCOPES), load_default=list)

    @ma.validates_schema
    def _has_scopes(self, key: dict[str, Any], **_kwargs: Any) -> None:
        if key.get("preset") == "own" and not key.get("scopes"):
            raise ma.ValidationError({"scopes": [CHOOSE]})


class TokenChangesFormSchema(_KeySchema):
    """The changed fields of a key."""

    scopes = ma.fields.List(fields.OneOf(*SCOPES), required=True, error_messages={"required": CHOOSE})


class TokenSchema(Schema):
    """A key without its text; `lastDay` is null where it has no end, `role` empty where its owner is no member now."""

    id = ma.fields.Integer()
    name = ma.fields.String()
    prefix = ma.fields.String()
    scopes = ma.fields.List(fields.OneOf(*SCOPES))
    user_name = ma.fields.String()
    role = ma.fields.String()
    created_at = fields.Timestamp()
    last_day = ma.fields.Date(allow_none=True)
    last_used_at = fields.Timestamp(allow_none=True)
    revoked_at = fields.Timestamp(allow_none=True)
    max_entries_a_day = ma.fields.Integer(allow_none=True)
    max_amount_a_day = fields.Amount(allow_none=True)
    max_requests_a_minute = ma.fields.Integer(allow_none=True)
