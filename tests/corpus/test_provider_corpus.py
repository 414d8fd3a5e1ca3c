"""Every provider's payload of the corpus becomes the push that its manifest says, account by account."""

from decimal import Decimal

import pytest

from tests.corpus import manifest
from webapp.importers import providers
from webapp.importers.providers import AccountSelector, ProviderFailedError
from webapp.ledger.currencies import canonical
from webapp.ledger.errors import LedgerError

PAYLOADS = [(name, entry) for name in providers.PROVIDERS for entry in manifest.entries(name)]
EACH_PAYLOAD = pytest.mark.parametrize(
    ("provider", "entry"), PAYLOADS, ids=[entry.path for _, entry in PAYLOADS]
)


def listed(lines):
    return [(line.booked_on.isoformat(), line.amount) for line in lines]


def in_types(pairs):
    return [(day, Decimal(amount)) for day, amount in pairs]


def stated(balance):
    """A balance as the manifest writes it: the provider's own sign, and the day where there is one."""
    return balance and (abs(balance.amount), balance.as_of and balance.as_of.date().isoformat())


def balance_in_types(record):
    amount = record["closing_balance"]
    return amount and (abs(Decimal(amount)), record.get("closing_date"))


def wanted(record):
    return AccountSelector(requested=record["id"], currency=record["currency"])


@EACH_PAYLOAD
def test_a_payload_is_read_as_the_manifest_says(provider, entry, record_property):
    record_property("corpus_format", provider)
    if entry.outcome == "error_response":
        with pytest.raises(ProviderFailedError):
            providers.read(provider, entry.data, AccountSelector())
        return
    if entry.outcome == "accept_or_reject" and not all(map(is_known, entry.accounts)):
        known = providers.read(provider, entry.data, AccountSelector())
        assert [each for each in known.left_out if "not an ISO 4217 currency" in each]
        assert len(known.added) < sum(record["booked"] + record["pending"] for record in entry.accounts)
        return
    for record in entry.accounts:
        push = providers.read(provider, entry.data, wanted(record))
        booked = [line for line in push.added if not line.pending]
        assert push.external_id == record["id"]
        assert {line.currency for line in push.added} <= {record["currency"]}
        assert listed(booked) == in_types(record["transactions"])
        assert sum((line.amount for line in booked), Decimal(0)) == Decimal(record["sum"])
        pending = listed(line for line in push.added if line.pending)
        # A pending copy of a booked line is that line.
        told = in_types(record["pending_transactions"])
        assert pending == ([] if "1 pending line is booked under the same id." in push.warnings else told)
        assert stated(push.balance) == balance_in_types(record)


def is_known(record):
    try:
        return bool(canonical(record["currency"]))
    except LedgerError:
        return False


@EACH_PAYLOAD
def test_what_a_payload_says_beside_its_lines_is_there_too(provider, entry):
    if entry.outcome != "accept":
        return
    account = wanted(entry.accounts[0])
    push = providers.read(provider, entry.data, account)
    more = entry.expected.get("has_more") or entry.expected.get("continuation_key")
    assert bool(more) == any("more pages" in warning for warning in push.warnings)
    assert entry.expected.get("errors", 0) <= len(push.warnings)
    if "modified_detail" in entry.expected:
        changed = [(line.provider_transaction_id, line.amount) for line in push.modified]
        told = [
            (each["transaction_id"], Decimal(each["amount"])) for each in entry.expected["modified_detail"]
        ]
        assert changed == told
        assert list(push.removed) == entry.expected["removed_ids"]


@EACH_PAYLOAD
def test_a_payload_is_the_same_batch_with_the_same_ids_every_time(provider, entry):
    if entry.outcome == "accept":
        account = wanted(entry.accounts[0])
        push = providers.read(provider, entry.data, account)
        assert providers.read(provider, entry.data, account) == push
        ids = [line.provider_transaction_id for line in push.added if not line.pending]
        assert len(set(ids)) == len(ids)
        assert all(ids)
