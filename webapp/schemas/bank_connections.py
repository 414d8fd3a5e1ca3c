"""The schemas of connections to providers of bank lines."""

from typing import Any

import marshmallow as ma

from webapp.ledger.codes import (
    BANK_PROVIDERS,
    CONNECTION_STATUSES,
    FEED_ACCOUNT_TYPES,
    JOB_STATES,
    PSU_TYPES,
)
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted

LONGEST_TOKEN = 4000
OPENED = {"description": "Open a bank account in the books for it, of `type`."}
COUNTRY = {"description": "Two letters of ISO 3166, such as FI."}
LEFT = {"description": "Leave it alone: nothing of it is fetched."}


class ProvidersQuerySchema(Schema):
    """The country whose banks are listed too."""

    country = fields.Text(least=2, most=2, metadata=COUNTRY)


class ProviderBankSchema(Schema):
    """A bank that gives consents, and for which kinds of accounts."""

    name = Untrusted()
    psu_types = ma.fields.List(ma.fields.String(), metadata={"description": "business, personal, or both."})


class BankProviderSchema(Schema):
    """A provider that can be asked for lines, and what to send to connect it."""

    provider = fields.OneOf(*BANK_PROVIDERS)
    name = ma.fields.String()
    needs = ma.fields.List(ma.fields.String())
    note = ma.fields.String(metadata={"description": "What to know of it, such as that nobody tried it yet."})
    is_set_up = ma.fields.Boolean(metadata={"description": "Whether this server has what it needs for it."})
    banks = ma.fields.List(
        ma.fields.Nested(ProviderBankSchema), metadata={"description": "The banks of the country asked for."}
    )


class ConnectionFaultSchema(Schema):
    """What went wrong last, or what the provider says."""

    code = ma.fields.String(metadata={"description": "The code of the error, or provider_message."})
    sentence = Untrusted(metadata={"description": "What it is, also in the words of the provider."})
    at = fields.Timestamp()


class ConnectedAccountSchema(Schema):
    """An account that a connection shows; `isStale` says that its bank has sent no news for days."""

    external_id = Untrusted(metadata={"description": "The provider's id of the account."})
    name = Untrusted()
    currency = Untrusted(metadata={"description": "As the provider writes it; it need not be a currency."})
    iban = Untrusted(allow_none=True)
    fa_id = fields.Id(Kind.FEED_ACCOUNT, allow_none=True)
    is_left = ma.fields.Boolean(metadata=LEFT)
    is_gone = ma.fields.Boolean(metadata={"description": "Whether the provider shows it no more."})
    fetch_from = fields.Day(allow_none=True)
    last_booked_on = fields.Day(allow_none=True)
    balance_at = fields.Timestamp(allow_none=True)
    is_stale = ma.fields.Boolean()
    error = Untrusted(
        allow_none=True,
        metadata={"description": "Why nothing of it was taken, or what the provider says of it; else null."},
    )
    takes_over = Untrusted(
        allow_none=True,
        metadata={
            "description": "The account that is shown no more and that this seems to be, under another id."
        },
    )


class BankConnectionSchema(Schema):
    """A connection to a provider with its accounts; its secrets are never shown."""

    id = ma.fields.Integer()
    provider = fields.OneOf(*BANK_PROVIDERS)
    name = ma.fields.String()
    status = fields.OneOf(
        *CONNECTION_STATUSES, metadata={"description": "Whether it is asked, and what it needs."}
    )
    consent_ends_at = fields.Timestamp(allow_none=True)
    last_succeeded_at = fields.Timestamp(allow_none=True)
    last_error = ma.fields.Nested(ConnectionFaultSchema, allow_none=True)
    next_run_at = fields.Timestamp(allow_none=True)
    accounts = ma.fields.List(
        ma.fields.Nested(ConnectedAccountSchema), metadata={"description": "The accounts that it shows."}
    )


class RenewalSchema(Schema):
    """What opens a connection at its provider: a setup token, or the code that a bank gave."""

    setup_token = fields.Text(least=1, most=LONGEST_TOKEN, strip=True)
    code = fields.Text(
        least=1,
        most=LONGEST_TOKEN,
        strip=True,
        metadata={"description": "The code of a consent, or the address to which the bank sent the browser."},
    )


class NewBankConnectionSchema(Schema):
    """A new connection: SimpleFIN's setup token is claimed at once; other providers wait for a consent."""

    provider = fields.OneOf(*BANK_PROVIDERS, required=True)
    name = fields.Name(required=True)
    setup_token = fields.Text(least=1, most=LONGEST_TOKEN, strip=True)
    country = fields.Text(least=2, most=2, metadata=COUNTRY)
    bank = fields.Text(
        least=1, most=255, metadata={"description": "Its name, exactly as the provider lists it."}
    )
    psu_type = fields.OneOf(*PSU_TYPES, metadata={"description": "Whose account it is."})


class ConnectedChoiceSchema(Schema):
    """What becomes of an account: attached to `faId`, opened, or left alone; null for `faId` leaves it alone."""

    external_id = fields.Text(
        least=1, most=255, required=True, metadata={"description": "The provider's id of the account."}
    )
    fa_id = fields.Id(Kind.FEED_ACCOUNT, allow_none=True)
    opens = fields.Flag(metadata=OPENED)
    is_left = fields.Flag(metadata=LEFT)
    type = fields.OneOf(*FEED_ACCOUNT_TYPES)
    fetch_from = fields.Day(allow_none=True)

    @ma.validates_schema
    def _is_one(self, choice: dict[str, Any], **_kwargs: Any) -> None:
        chosen = [bool(choice.get(name)) for name in ("fa_id", "opens", "is_left")]
        if sum(chosen) > 1:
            raise ma.ValidationError("Choose one of faId, opens and isLeft.")


class BankConnectionChangesSchema(Schema):
    """The changed fields of a connection; accounts that are not named stay as they are."""

    name = fields.Name()
    is_paused = fields.Flag()
    accounts = ma.fields.List(
        ma.fields.Nested(ConnectedChoiceSchema),
        validate=ma.validate.Length(max=200),
        metadata={"description": "What becomes of accounts."},
    )


class JobSchema(Schema):
    """A job of the worker."""

    id = ma.fields.Integer()
    kind = ma.fields.String(metadata={"description": "What is done."})
    state = fields.OneOf(*JOB_STATES, metadata={"description": "Whether it waits, runs, is done or failed."})
    run_at = fields.Timestamp()


class ConnectedChoiceFormSchema(Schema):
    """What becomes of an account, on its page: `target` is leave, a type to open it as, or the id of a bank account."""

    external_id = fields.Text(least=1, most=255, required=True)
    target = fields.Text(least=1, most=20, required=True)
    fetch_from = fields.Day(allow_none=True, load_default=None)


class PauseFormSchema(Schema):
    """Whether a connection is paused."""

    is_paused = fields.FormFlag(required=True)
