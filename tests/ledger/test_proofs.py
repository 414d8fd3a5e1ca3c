"""A proof says the same to everyone, and stops holding exactly when its facts do."""

import hashlib
import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.ledger.canonical import canonical_json, instant_text
from webapp.ledger.chain import Head
from webapp.ledger.proofs.equations import (
    BankPosting,
    ItemToday,
    PostingState,
    books_differ,
    breaches,
    in_transit,
    outstanding,
)
from webapp.ledger.proofs.proofs import (
    Item,
    Proof,
    cleared_balance,
    difference,
    digest,
    frozen,
    ordered,
    status,
)

OCTOBER = date(2026, 10, 31)
NOVEMBER = date(2026, 11, 1)


def line(number, amount=100, day=OCTOBER):
    return Item(number, 1000 + number, f"ref {number}", day, amount)


def proof(**changed):
    plain = Proof(
        id=5,
        organization_id="org_1",
        fa_id=3,
        currency="EUR",
        statement_date=OCTOBER,
        statement_balance_minor=-235638,
        opening_balance_minor=0,
        opening_date=None,
        keep_as_new=False,
        opening_entry_id=None,
        ledger_balance_minor=-235638,
        outstanding=(),
        in_transit=(),
        lines=(line(2), line(1, -5)),
        completed_at=datetime(2026, 11, 2, 8, 30, tzinfo=UTC),
        completed_by=7,
        previous_digest=None,
        head=Head(7, "c" * 64),
    )
    return replace(plain, **changed)


def test_the_frozen_document_has_every_key_and_its_digest_is_of_its_canonical_text():
    document = frozen(proof())
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert digest(document) == hashlib.sha256(text.encode()).hexdigest()
    assert text == (
        '{"completedAt":"2026-11-02T08:30:00.000Z","completedBy":7,"currency":"EUR","faId":3,"fileDigests":[],'
        '"head":{"hash":"' + "c" * 64 + '","sequence":7},"id":5,"inTransit":[],'
        '"keepAsNew":false,"ledgerBalance":"-2356.38","lines":[{"amount":"-0.05","bookedOn":"2026-10-31",'
        '"journalEntryId":1001,"providerTransactionId":"ref 1","transactionId":1},{"amount":"1.00",'
        '"bookedOn":"2026-10-31","journalEntryId":1002,"providerTransactionId":"ref 2","transactionId":2}],'
        '"openingBalance":"0.00","openingDate":null,"openingEntryId":null,"organizationId":"org_1",'
        '"outstanding":[],"previousDigest":null,"statementBalance":"-2356.38","statementDate":"2026-10-31",'
        '"statementDigest":null,"v":3}'
    )


@given(st.permutations([line(1), line(2), line(3, day=NOVEMBER), Item(None, 4, None, OCTOBER, 1)]))
def test_the_digest_does_not_depend_on_the_order_of_the_lines(lines):
    assert [item.journal_entry_id for item in ordered(lines)] == [1001, 1002, 4, 1003]
    assert digest(frozen(proof(lines=tuple(lines)))) == digest(frozen(proof(lines=tuple(reversed(lines)))))


@pytest.mark.parametrize(
    "changed",
    [{"statement_balance_minor": 1}, {"previous_digest": "0"}, {"lines": (line(1),)}, {"completed_by": 8}],
)
def test_whatever_changes_changes_the_digest(changed):
    assert digest(frozen(proof(**changed))) != digest(frozen(proof()))


def test_letters_are_written_as_themselves_and_instants_in_utc():
    assert canonical_json(["Zoë", "東京"]) == '["Zoë","東京"]'
    with pytest.raises(ValueError, match="2026"):
        instant_text(datetime(2026, 1, 1))  # noqa: DTZ001 — the naive one is the point


@given(st.booleans(), st.booleans(), st.integers(0, 3), st.booleans())
def test_an_account_is_reconciled_only_when_nothing_is_left_to_do(has_proof, has_draft, left, holds):
    word = status(has_proof=has_proof, has_draft=has_draft, unreconciled_count=left, holds=holds)
    assert (word == "never") == (not has_proof)
    assert (word == "reconciled") == (has_proof and not has_draft and not left and holds)


postings = st.lists(
    st.builds(
        BankPosting,
        st.builds(line, st.integers(1, 99), st.integers(-9999, 9999)),
        st.dates(OCTOBER - timedelta(days=5), OCTOBER + timedelta(days=5)),
        st.sampled_from([PostingState.OPEN, PostingState.CLEARED]),
    ),
    max_size=12,
)


@given(postings, st.integers(-9999, 9999))
def test_books_made_of_cleared_and_open_items_agree_with_a_statement_of_the_cleared_ones(
    all_postings, opening
):
    ledger = opening + sum(p.item.amount_minor for p in all_postings if p.entry_date <= OCTOBER)
    cleared = [p.item.amount_minor for p in all_postings if p.state is PostingState.CLEARED]
    statement = cleared_balance(opening, cleared)
    assert difference(statement, statement) == 0
    apart = books_differ(
        ledger, outstanding(all_postings, OCTOBER), in_transit(all_postings, OCTOBER), statement
    )
    assert apart == 0


def test_a_voided_posting_is_outstanding_until_its_reversal():
    voided = BankPosting(line(1), OCTOBER, PostingState.OPEN, cancelled_on=NOVEMBER)
    assert outstanding([voided], OCTOBER) == (line(1),)
    assert outstanding([voided], NOVEMBER) == ()
    assert in_transit([replace(voided, state=PostingState.CLEARED, entry_date=NOVEMBER)], OCTOBER) == ()


def test_what_an_opening_absorbed_is_neither_outstanding_nor_in_transit():
    absorbed = BankPosting(line(1), OCTOBER, PostingState.ABSORBED)
    aside = BankPosting(line(2), NOVEMBER, PostingState.SET_ASIDE)
    assert outstanding([absorbed, aside], OCTOBER) == ()
    assert in_transit([absorbed, aside], OCTOBER) == (line(2),)


STANDS = ItemToday(OCTOBER, 100, is_posted=True)


@pytest.mark.parametrize(
    ("now", "fields"),
    [
        (STANDS, []),
        (None, ["entryStatus"]),
        (replace(STANDS, is_posted=False), ["entryStatus"]),
        (replace(STANDS, amount_minor=99), ["amount"]),
        (replace(STANDS, booked_on=NOVEMBER), ["bookedOn"]),
    ],
)
def test_a_proof_holds_while_each_item_keeps_day_and_amount_and_is_posted(now, fields):
    today = {} if now is None else {("transaction", 1): now}
    found = breaches([line(1)], today, arrivals=[], differ_minor=0)
    assert [breach.field for breach in found] == fields


def test_another_entry_of_the_same_line_heals_and_late_arrivals_break():
    reposted = replace(line(1), journal_entry_id=2222)
    assert reposted.key == line(1).key
    found = breaches([line(1)], {line(1).key: STANDS}, arrivals=[line(9, 4900)], differ_minor=-4900)
    assert [(breach.field, breach.after) for breach in found] == [("arrival", 4900), ("books", -4900)]
