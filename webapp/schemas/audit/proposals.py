"""The schemas of the page of proposals and its forms."""

from __future__ import annotations

import re
from typing import Any

import marshmallow as ma

from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.audit.action_requests import MOST_IDS
from webapp.schemas.base import Schema

LONGEST_ID, DIGEST_LENGTH = 40, 64
ID_AND_DIGEST = re.compile(r"[^.]{1,40}\.[0-9a-f]{64}")


class ProposalsPageSchema(AddressSchema):
    """The proposals to list, the open one, and the one that was just decided."""

    show = fields.OneOf("waiting", "decided", load_default="waiting")
    id = fields.Text(least=1, most=LONGEST_ID, load_default=None)
    done = fields.Text(least=1, most=LONGEST_ID, load_default=None)
    count = fields.Digits(least=1, most=MOST_IDS, load_default=None)


class ApprovalFormSchema(Schema):
    """The digest of the effect that somebody reviewed, and a note for the agent."""

    digest = fields.Text(least=DIGEST_LENGTH, most=DIGEST_LENGTH, required=True)
    note = fields.Text(most=2000, allow_none=True, load_default=None)


class RejectionFormSchema(Schema):
    """The reason of a rejection."""

    reason = fields.Text(least=1, most=2000, required=True)


class ReviewedProposal(fields.Text):
    """A proposal with the reviewed effect, as `id.digest`."""

    def __init__(self) -> None:
        super().__init__(
            least=1, most=LONGEST_ID + 1 + DIGEST_LENGTH, metadata={"pattern": ID_AND_DIGEST.pattern}
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not ID_AND_DIGEST.fullmatch(text):
            raise ma.ValidationError("Choose proposals on the page of approvals, which shows their effects.")
        return text


class ApproveManyFormSchema(Schema):
    """The proposals to approve, each with the digest of the reviewed effect."""

    ids = ma.fields.List(
        ReviewedProposal(),
        required=True,
        validate=ma.validate.Length(min=1, max=MOST_IDS, error="Choose 1 to 500 proposals."),
    )
