"""The schemas of closes of months."""

import marshmallow as ma

from webapp.ledger.closing.closes import RHYTHMS, CloseState, StepState
from webapp.ledger.closing.documents import CloseVerdict
from webapp.ledger.references import Kind
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted

STEPS = "What is to be done before the month can be closed."
CUT_OFF = "What is about days up to its end, and dated after it."
RESULT = {"description": "What the result up to that day would gain; a profit is above zero."}
ACCRUED_BY = "The entry of the period that accrues it; null for none."


class CloseStepSchema(Schema):
    """A step of a close, by the predicate of the list that `href` leads to."""

    code = ma.fields.String(metadata={"description": "What the step is about."})
    state = fields.OneOf(*StepState, metadata={"description": "Whether something is left to do."})
    count = ma.fields.Integer(metadata={"description": "How many things are left."})
    amount = fields.Amount(
        allow_none=True,
        metadata={"description": "What they come to in the base currency; null for no amount."},
    )
    sentence = Untrusted(metadata={"description": "What is left, in a sentence."})
    href = ma.fields.String(allow_none=True, metadata={"description": "The page that lists what is left."})
    owner = ma.fields.String(
        allow_none=True, metadata={"description": "Who is to do a step of one's own; null otherwise."}
    )
    due_on = fields.Day(allow_none=True, metadata={"description": "By when; null where nothing is said."})
    done_by = ma.fields.String(
        allow_none=True, metadata={"description": "Who ticked or accepted it; null for what is judged."}
    )
    done_at = fields.Timestamp(allow_none=True)
    note = ma.fields.String(
        allow_none=True, metadata={"description": "Why it was accepted, or what was said of it."}
    )


class CutOffSumSchema(Schema):
    """How many entries, and what they move together."""

    count = ma.fields.Integer(metadata={"description": "How many entries."})
    sum = fields.Amount(metadata={"description": "What they move together, in the base currency."})


class CutOffRowSchema(Schema):
    """An entry that is about a day of the period or before it, and dated after the period."""

    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY)
    number = ma.fields.Integer(metadata={"description": "Its number among the posted entries."})
    description = Untrusted(metadata={"description": "The description of the entry."})
    fact_on = fields.Day(metadata={"description": "The day of what it is about."})
    effective_on = fields.Day(metadata={"description": "The day of the entry."})
    amount = fields.Amount(metadata={"description": "What it moves."})
    result = fields.Amount(metadata=RESULT)
    moved_by_lock = ma.fields.Boolean(
        metadata={"description": "Whether a lock date is why it is dated later."}
    )
    accrued_by = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True, metadata={"description": ACCRUED_BY})


class LateDocumentSchema(Schema):
    """A document issued after the period of what was supplied in it, and that no entry of the period has."""

    document_id = fields.Id(Kind.DOCUMENT, metadata={"description": "The id of the document."})
    label = Untrusted(metadata={"description": "What it is called."})
    supplied_on = fields.Day(metadata={"description": "The day of the supply, as its invoice states it."})
    issued_on = fields.Day()
    amount = fields.Amount(allow_none=True, metadata={"description": "Its total, in its own currency."})
    journal_entry_id = fields.Id(
        Kind.JOURNAL_ENTRY, allow_none=True, metadata={"description": "Its entry; null where it has none."}
    )
    accrued_by = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True, metadata={"description": ACCRUED_BY})


class CutOffSchema(CutOffSumSchema):
    """What is about days up to the end of the period, and dated after it."""

    result = fields.Amount(metadata=RESULT)
    of_this_period = ma.fields.Nested(
        CutOffSumSchema, metadata={"description": "Those of them that are about the period itself."}
    )
    rows = ma.fields.List(ma.fields.Nested(CutOffRowSchema), metadata={"description": "Its entries."})
    to_accrue = ma.fields.List(
        ma.fields.Nested(LateDocumentSchema),
        metadata={"description": "Later documents of what was supplied in the period."},
    )


class UnprovedEntrySchema(Schema):
    """An entry that needs a document by the organization's policy, and has none."""

    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY)
    effective_on = fields.Day(metadata={"description": "The day of the entry."})
    description = Untrusted(metadata={"description": "The description of the entry."})
    amount = fields.Amount(metadata={"description": "What it moves."})


class AccountChangeSchema(Schema):
    """An account of the result that changed much against the period before."""

    account_id = fields.Id(Kind.ACCOUNT)
    name = Untrusted(metadata={"description": "The name of the account."})
    before = fields.Amount(metadata={"description": "What it moved in the period before."})
    now = fields.Amount(metadata={"description": "What it moved in this one."})
    change = fields.Amount(metadata={"description": "The difference."})
    note = Untrusted(
        allow_none=True, metadata={"description": "Why, in a sentence; null until somebody says so."}
    )


class FigureMoveSchema(Schema):
    """A figure of a close that the books have differently now."""

    figure = Untrusted(metadata={"description": "A total, or the name of an account or a party."})
    frozen = ma.fields.String(metadata={"description": "What the close froze."})
    now = ma.fields.String(metadata={"description": "What the books have now."})


class ChangedAccountSchema(Schema):
    """An account that is shown, or stands, differently from what a close froze."""

    account_id = fields.Id(Kind.ACCOUNT)
    name = Untrusted(metadata={"description": "The name of the account."})


class CloseActSchema(Schema):
    """An act after a close that moved what it froze."""

    action_request_id = ma.fields.String(metadata={"description": "The id of its action request."})
    by = Untrusted(metadata={"description": "Who did it."})
    at = fields.Timestamp()
    note = Untrusted(metadata={"description": "Why, in the words of who did it."})
    title = Untrusted(metadata={"description": "What it was."})


class LateSchema(CutOffSumSchema):
    """What came into the books about its days after a close."""

    result = fields.Amount(metadata=RESULT)


class CloseSchema(Schema):
    """The close of a month, from the day after the last close to the month's end."""

    period = ma.fields.String(metadata={"description": "The year and the month, such as 2026-03."})
    from_ = fields.Day(data_key="from", metadata={"description": "The first day that it closes."})
    to = fields.Day(metadata={"description": "The last day that it closes."})
    steps = ma.fields.List(ma.fields.Nested(CloseStepSchema), metadata={"description": STEPS})
    cut_off = ma.fields.Nested(CutOffSchema, metadata={"description": CUT_OFF})
    evidence = ma.fields.List(
        ma.fields.Nested(UnprovedEntrySchema),
        attribute="looked.unproved",
        metadata={"description": "The entries that the step `evidence` counts."},
    )
    flux = ma.fields.List(
        ma.fields.Nested(AccountChangeSchema),
        attribute="looked.changes",
        metadata={"description": "The changes that the step `flux` asks about."},
    )
    status = fields.OneOf(
        *CloseState, metadata={"description": "OPEN until somebody prepares it; REOPENED is open again."}
    )
    digest = ma.fields.String(
        allow_none=True,
        metadata={"description": "The SHA-256 of what was prepared, or closed."},
    )
    prepared_by = ma.fields.String(allow_none=True, metadata={"description": "Who prepared it."})
    prepared_at = fields.Timestamp(allow_none=True)
    approved_by = ma.fields.String(allow_none=True, metadata={"description": "Who approved it."})
    approved_at = fields.Timestamp(allow_none=True)
    verdict = fields.OneOf(
        *CloseVerdict,
        allow_none=True,
        metadata={"description": "Whether a close still holds: judged anew on each read; null before."},
    )
    moved = ma.fields.List(
        ma.fields.Nested(FigureMoveSchema),
        metadata={"description": "The figures that a close froze otherwise."},
    )
    accounts = ma.fields.List(
        ma.fields.Nested(ChangedAccountSchema),
        metadata={
            "description": "The accounts that are shown, or stand, differently from what a close froze."
        },
    )
    acts = ma.fields.List(
        ma.fields.Nested(CloseActSchema),
        metadata={"description": "The acts that moved them, the newest first."},
    )
    late = ma.fields.Nested(
        LateSchema, allow_none=True, metadata={"description": "What came about its days since; null before."}
    )


WHY = "Why; kept with the act."
NOTE = fields.Text(most=2000, load_default="", metadata={"description": WHY})
DIGEST = "The digest of what was prepared, as somebody read it."
ACCEPT = "The steps that are left as they are, each with a note."


class AcceptedStepSchema(Schema):
    """A step that is left as it is, and why."""

    step = ma.fields.String(required=True, metadata={"description": "The code of a step."})
    note = fields.Text(least=1, most=2000, strip=True, required=True, metadata={"description": WHY})


class ClosePreparationSchema(Schema):
    """What is accepted of a close, and a note on it."""

    accept = ma.fields.List(
        ma.fields.Nested(AcceptedStepSchema),
        load_default=list,
        validate=ma.validate.Length(max=100, error="Send at most 100 steps."),
        metadata={"description": ACCEPT},
    )
    note = NOTE


class CloseApprovalSchema(Schema):
    """What is approved: the digest of a prepared close."""

    digest = fields.Text(least=1, most=64, required=True, metadata={"description": DIGEST})


class CloseReopeningSchema(Schema):
    """Why a close is reopened."""

    note = fields.Text(least=1, most=2000, strip=True, required=True, metadata={"description": WHY})


class CloseDocumentSchema(Schema):
    """What a close froze, with the digest that it is of: save it for `tieout verify-proof`."""

    document = fields.JsonObject(metadata={"description": "The canonical record under the digest."})
    digest = ma.fields.String(metadata={"description": "Its SHA-256."})


class CloseTickSchema(Schema):
    """What is ticked within a step, if anything, and a note on it."""

    about = fields.Text(
        most=64,
        load_default="",
        metadata={"description": "What within a step: an account of `flux`, a row of `tax`."},
    )
    note = NOTE


class CloseUntickSchema(Schema):
    """What within a step is no longer ticked, if anything."""

    about = fields.Text(most=64, load_default="", metadata={"description": "What within a step."})


class AccrualSchema(Schema):
    """The later entry that is accrued, and the account of what is accrued."""

    journal_entry_id = fields.Id(
        Kind.JOURNAL_ENTRY,
        required=True,
        metadata={"description": "The later entry whose result belongs to the month."},
    )
    account_id = fields.Id(
        Kind.ACCOUNT, required=True, metadata={"description": "The account of what is accrued."}
    )


class AccrualFormSchema(Schema):
    """The same from the row of a late entry."""

    journal_entry_id = fields.FormId(required=True)
    account_id = fields.FormId(required=True)


class OwnStepFormSchema(Schema):
    """A step of closes from its form."""

    name = fields.Name(required=True)
    owner_id = fields.Digits(least=1, most=fields.LARGEST_ID, allow_none=True, load_default=None)
    due_after = fields.Digits(least=0, most=366, allow_none=True, load_default=None)
    every = fields.OneOf(*RHYTHMS, load_default="MONTH")
    is_archived = fields.FormFlag(load_default=False)


class OwnStepSchema(Schema):
    """A step that an organization adds to its closes; a person ticks it."""

    id = fields.Id(Kind.OWN_STEP)
    name = Untrusted(metadata={"description": "What is to be done."})
    owner_id = ma.fields.Integer(allow_none=True, metadata={"description": "The person who does it."})
    due_after = ma.fields.Integer(
        allow_none=True, metadata={"description": "How many days after the month's end it is due."}
    )
    every = fields.OneOf(*RHYTHMS, metadata={"description": "Of which closes it is a step."})
    is_archived = ma.fields.Boolean(metadata={"description": "Whether it is no step any more."})


class OwnStepsSchema(Schema):
    """The steps that an organization adds to its closes."""

    close_steps = ma.fields.List(ma.fields.Nested(OwnStepSchema))


class OwnStepInputSchema(Schema):
    """A step of closes as it is sent: a new one has a name, and of a present one what is not sent stays."""

    name = fields.Name()
    owner_id = fields.WholeNumber(
        least=1, allow_none=True, metadata={"description": "The person who does it; null for anybody."}
    )
    due_after = fields.WholeNumber(
        least=0, most=366, allow_none=True, metadata={"description": "Days after the month's end."}
    )
    every = fields.OneOf(
        *RHYTHMS, metadata={"description": "Of which closes it is a step; MONTH unless sent."}
    )
    is_archived = fields.Flag(metadata={"description": "Whether it is no step any more."})


class ClosePolicySchema(Schema):
    """What an organization asks of its closes; null asks for nothing."""

    needs_two = fields.Flag(
        load_default=False, metadata={"description": "Whether somebody else approves what one has prepared."}
    )
    lets_accountants = fields.Flag(
        load_default=False, metadata={"description": "Whether accountants approve closes, as owners do."}
    )
    expenses_from = fields.Amount(
        allow_none=True,
        load_default=None,
        metadata={"description": "From which amount on entries on expenses need a document."},
    )
    manual_from = fields.Amount(
        allow_none=True,
        load_default=None,
        metadata={"description": "From which amount on entries by hand need a document."},
    )
    exempt_account_ids = ma.fields.List(
        fields.Id(Kind.ACCOUNT),
        load_default=list,
        validate=ma.validate.Length(max=500, error="Send at most 500 accounts."),
        metadata={"description": "The accounts whose entries need no document."},
    )
    exempt_merchant_ids = ma.fields.List(
        fields.Id(Kind.MERCHANT),
        load_default=list,
        validate=ma.validate.Length(max=500, error="Send at most 500 merchants."),
        metadata={"description": "The merchants whose entries need no document."},
    )
    flux_amount = fields.Amount(
        allow_none=True,
        load_default=None,
        metadata={"description": "From which amount on a change of an account needs a sentence."},
    )
    flux_percent = fields.WholeNumber(
        least=0,
        most=1000,
        allow_none=True,
        load_default=None,
        metadata={"description": "And from how many per cent on."},
    )


class ClosePolicyFormSchema(ClosePolicySchema):
    """What closes ask for, from its form."""

    needs_two = fields.FormFlag(load_default=False)  # type: ignore[assignment]
    lets_accountants = fields.FormFlag(load_default=False)  # type: ignore[assignment]
    exempt_account_ids = ma.fields.List(fields.FormId(), load_default=list)
    exempt_merchant_ids = ma.fields.List(fields.FormId(), load_default=list)
    flux_percent = fields.Digits(least=0, most=1000, allow_none=True, load_default=None)
