"""The schemas of proofs of accounts of the balance sheet."""

import marshmallow as ma

from webapp.ledger.closing.balances import ATTESTED, EXPLANATIONS, BalanceProof, BalanceState
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted

KIND = "Whether a figure is attested, or why there is a difference."
AMOUNT = "The figure that is attested, or what is explained of the difference; in the base currency."
OWNER = "Who sees to it; null for a figure that is attested."
UNTIL = "The day by which the difference is gone; null for a figure that is attested."
DOCUMENT = "The document that shows it; null for none."
DAY = "The day at whose close it is."


class BalanceNoteSchema(Schema):
    """A figure that somebody attested, or an explanation of a difference."""

    id = fields.Id(Kind.BALANCE_NOTE)
    kind = fields.OneOf(ATTESTED, *EXPLANATIONS, metadata={"description": KIND})
    amount = fields.Amount(metadata={"description": AMOUNT})
    text = Untrusted()
    owner = Untrusted(allow_none=True, metadata={"description": OWNER})
    reverses_by = fields.Day(allow_none=True, metadata={"description": UNTIL})
    document_id = fields.Id(Kind.DOCUMENT, allow_none=True, metadata={"description": DOCUMENT})
    is_expired = ma.fields.Boolean(
        metadata={"description": "Whether its day has passed, so that it explains nothing."}
    )


class BalanceProofSchema(Schema):
    """An account of the balance sheet, the figure that proves it, and what is left between them."""

    account_id = fields.Id(Kind.ACCOUNT)
    account_code = ma.fields.String(allow_none=True)
    account_name = Untrusted()
    proof = fields.OneOf(*BalanceProof, metadata={"description": "What it is proved by."})
    balance = fields.Amount()
    figure = fields.Amount(
        allow_none=True, metadata={"description": "What proves it; null while nothing does."}
    )
    difference = fields.Amount(allow_none=True, metadata={"description": "The balance less the figure."})
    explained = fields.Amount(metadata={"description": "What explanations whose day has not passed come to."})
    unexplained = fields.Amount(metadata={"description": "The difference less what is explained."})
    state = fields.OneOf(*BalanceState, metadata={"description": "Whether it is proved, or what it needs."})
    notes = ma.fields.List(ma.fields.Nested(BalanceNoteSchema))


class BalanceDaySchema(Schema):
    """The day at whose close accounts are proved; by default today."""

    as_of = fields.Day(load_default=None)


class BalanceProofsSchema(Schema):
    """The accounts of the balance sheet at the close of a day, and the materiality that they are judged by."""

    as_of = fields.Day(metadata={"description": DAY})
    materiality = fields.Amount(metadata={"description": "Up to which size explanations need no approver."})
    accounts = ma.fields.List(ma.fields.Nested(BalanceProofSchema))


class NewBalanceNoteSchema(Schema):
    """A figure to attest, or an explanation of a difference."""

    account_id = fields.Id(Kind.ACCOUNT, required=True)
    as_of = fields.Day(required=True, metadata={"description": DAY})
    kind = fields.OneOf(ATTESTED, *EXPLANATIONS, required=True, metadata={"description": KIND})
    amount = fields.Amount(required=True, metadata={"description": AMOUNT})
    text = fields.Text(least=1, most=2000, required=True)
    owner = fields.Text(least=1, most=255, load_default=None, metadata={"description": OWNER})
    reverses_by = fields.Day(load_default=None, metadata={"description": UNTIL})
    document_id = fields.Id(Kind.DOCUMENT, load_default=None, metadata={"description": DOCUMENT})


class BalanceNoteFormSchema(NewBalanceNoteSchema):
    """The same from the form of an account, of the day that its page is about."""

    class Meta:
        """The day is that of the page."""

        exclude = ("as_of",)

    account_id = fields.FormId(required=True)  # type: ignore[assignment]
    document_id = fields.FormId(load_default=None)  # type: ignore[assignment]


class MaterialitySchema(Schema):
    """Up to which size explanations need no approver."""

    materiality = fields.Amount(
        required=True, metadata={"description": "In the base currency, not below zero."}
    )
