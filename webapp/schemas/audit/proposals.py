"""The forms of approvals, and what the address of their page says."""

from __future__ import annotations

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.audit.action_requests import MOST_IDS
from webapp.schemas.base import Schema

LONGEST_ID, DIGEST_LENGTH = 40, 64


class ProposalsPageSchema(AddressSchema):
    """Which proposals to list, which of them is open, and which was just decided."""

    show = fields.Word("waiting", "decided", load_default="waiting")
    id = fields.Text(least=1, most=LONGEST_ID, load_default=None)
    done = fields.Text(least=1, most=LONGEST_ID, load_default=None)
    count = fields.Digits(least=1, most=MOST_IDS, load_default=None)


class ApprovalFormSchema(Schema):
    """Which effect somebody looked at, and a note to the agent."""

    digest = fields.Text(least=DIGEST_LENGTH, most=DIGEST_LENGTH, required=True)
    note = fields.Text(most=2000, allow_none=True, load_default=None)


class RejectionFormSchema(Schema):
    """Why a proposal is not done."""

    reason = fields.Text(least=1, most=2000, required=True)


class ApproveManyFormSchema(Schema):
    """Which proposals to approve, each as `id.digest` with the effect that was looked at, or as the id alone."""

    ids = ma.fields.List(
        fields.Text(least=1, most=LONGEST_ID + 1 + DIGEST_LENGTH),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_IDS, error="Choose 1 to 500 proposals."),
    )
