"""What a tool leaves out of the API's answer is left out on purpose: each omission is named here."""

import pytest

from tests.fixtures.helpers.transfers import send
from tests.mcp.clients import Model
from webapp.mcp.shapes.tool import OutcomeSchema
from webapp.mcp.tools import TOOLS
from webapp.mcp.tools.items.owed import FoundItemSchema
from webapp.schemas.audit.summaries import RequestSummarySchema, SummarySchema
from webapp.schemas.items import OwedItemSchema


def keys(shape):
    return {field.data_key or name for name, field in shape().dump_fields.items()}


# Of each shape of the API: what tools call its keys, and what they leave out.
TOLD = {
    "outcome": (
        SummarySchema,
        OutcomeSchema,
        {
            "id": "proposal",
            "title": "summary",
            "balances": "changes",
            "broken": "changes",
            "mended": "changes",
            "status": "status",
            "blockers": "blockers",
            "warnings": "warnings",
        },
        # Where they count they stand in sentences, and explain about the act has the rest.
        {"kind", "target", "digest", "counts", "sums", "steps", "moreSteps", "createdAt", "expiresAt"}
        | {"replacedBy", "reason", "error", "effect"},
    ),
    "proposal": (
        RequestSummarySchema,
        OutcomeSchema,
        {"refused": "blockers", "waiting": "waiting", "actionRequest": "proposal", "untrusted": "untrusted"},
        set(),
    ),
    "item": (
        OwedItemSchema,
        FoundItemSchema,
        {
            "id": "itemId",
            "orgMerchantName": "party",
            "reference": "reference",
            "description": "reference",
            "dueOn": "due",
            "overdueDays": "overdueDays",
            "open": "open",
            "currency": "open",
        },
        # explain about an item has them.
        {"accountId", "accountName", "orgMerchantId", "journalEntryId", "transactionId", "day"}
        | {"amount", "amountBase", "settled", "settledBase", "openBase"},
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_each_key_of_the_api_has_its_place_or_is_left_out_by_name(name):
    shape, told, places, left_out = TOLD[name]
    assert keys(shape) == places.keys() | left_out
    assert not places.keys() & left_out
    assert {*places.values()} <= keys(told)


def test_every_writing_tool_answers_in_the_one_envelope():
    envelope = {"proposal", "status", "summary", "changes", "blockers", "warnings", "waiting", "next"}
    for tool in TOOLS:
        if tool.writes:
            assert envelope <= keys(tool.gives), tool.name
            assert set(tool.definition["outputSchema"]["properties"]) == envelope, tool.name


def test_a_warning_of_the_api_is_one_of_the_tool_done_tried_and_proposed(ada, ben, bank):
    """An entry on a bank's account, a line without a category, a statement whose sign is turned."""
    card = bank.open("Card", type_="LIABILITY")
    line = send(bank, card, "2026-10-02", "-84.55")
    main = ben.get(f"/api/feeds/accounts/{card}").json["feedAccount"]["accountName"]
    bank.account("Trips")
    entry = {
        "date": "2026-10-08",
        "description": "By hand",
        "legs": [{"account": main, "amount": "12.00"}, {"account": "Trips", "amount": "-12.00"}],
    }
    for person in (ben.with_scopes("read", "propose"), ben):
        model = Model(person)
        assert any(main in each for each in model.call("write_entry", **entry)["warnings"]), person
        wrong = model.call(
            "reconcile",
            account="Card",
            statementDate="2026-10-31",
            statementBalance="84.55",
            categories=[{"id": line, "category": "Trips"}],
        )
        assert any("sign" in each for each in wrong["warnings"])
        assert not any("sign" in each for each in wrong["blockers"])
        assert model.call("confirm_lines", ids=[line])["warnings"]
    done = Model(ada).call("confirm_lines", ids=[line])
    assert done["status"] == "UNCHANGED"
