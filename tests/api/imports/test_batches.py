"""CAMT batches over the API: one line or split, as the account is set, and never there twice."""

import io

import pytest
import sqlalchemy as sa

from tests.fixtures.bank_files.camt_files import balance, entry, message, party, payment, statement, tag
from webapp.models import Transaction

PATH = "/api/feeds/imports"
PAID = (("Ada", "10.00"), ("Ben", "17.50"), ("Cleo", "2.50"))


def paid(name, amount, more=""):
    return payment(party("Dbtr", name), f"From {name}", more=tag("Amt", amount, Ccy="EUR") + more)


def batch(*people, amount="30.00", reference="B1", **facts):
    details = [paid(*each) for each in (people or PAID)]
    return entry(amount, "CRDT", *details, reference=reference, **facts)


def file_of(*entries):
    return message(statement(*entries))


def send(person, data, *, dry_run=False):
    form = {"file": (io.BytesIO(data), "march.xml"), "dryRun": "true" if dry_run else "false"}
    answer = person.post(PATH, data=form, content_type="multipart/form-data")
    assert answer.status_code == (200 if dry_run else 201), answer.json
    return answer.json["import"]


def counted(answer):
    return [(each["added"], each["alreadyThere"], each["pending"]) for each in answer["accounts"]]


@pytest.fixture
def split(ada, ben):
    """Set whether the account of these files splits its batches; a file without a batch opened it."""
    fa_id = send(ben, file_of(entry(reference="OPENED")))["accounts"][0]["faId"]

    def change(*, wanted=True):
        answer = ada.patch(f"/api/feeds/accounts/{fa_id}", json={"splitsBatches": wanted})
        assert answer.json["feedAccount"]["splitsBatches"] is wanted

    return change


def amounts(session):
    statement = sa.select(Transaction.amount_minor).where(
        Transaction.provider_transaction_id.is_distinct_from("OPENED"), Transaction.status == "BOOKED"
    )
    return sorted(session.scalars(statement))


def test_a_batch_is_one_line_unless_its_account_splits_it(ben, split, session):
    assert counted(send(ben, file_of(batch()))) == [(1, 0, 0)]
    assert amounts(session) == [3000]
    split()
    answer = send(ben, file_of(batch(reference="B2")))
    assert counted(answer) == [(3, 0, 0)]
    assert answer["accounts"][0]["sum"] == "30.00"
    assert amounts(session) == [250, 1000, 1750, 3000]


def test_each_payment_says_who_paid_what_for(ben, split):
    split()
    answer = send(ben, file_of(batch()))
    lines = ben.get(f"{PATH}/{answer['id']}/lines").json["lines"]
    said = [(each["row"], each["counterparty"], each["description"], each["amount"]) for each in lines]
    assert said == [
        (1, "Ada", "Ada From Ada", "10.00"),
        (1, "Ben", "Ben From Ben", "17.50"),
        (1, "Cleo", "Cleo From Cleo", "2.50"),
    ]


@pytest.mark.parametrize("wanted", [True, False])
def test_switching_brings_nothing_in_twice(ben, split, session, wanted):
    split(wanted=wanted)
    data = file_of(batch(), batch(reference="B2"), entry("5.00", reference="C1"))
    send(ben, data)
    there = amounts(session)
    split(wanted=not wanted)
    again = file_of(batch(reference="B2"), batch(reference="B3"))
    previewed = send(ben, again, dry_run=True)
    assert counted(previewed) == ([(1, 3, 0)] if wanted else [(3, 1, 0)])
    for repeated in (data, data):
        assert counted(send(ben, repeated))[0][0] == 0
    assert amounts(session) == there
    assert counted(send(ben, again)) == counted(previewed)
    assert len(amounts(session)) == len(there) + (1 if wanted else 3)


@pytest.mark.parametrize("wanted", [True, False])
def test_confirmed_lines_are_known_after_switching_too(ben, split, session, wanted):
    split(wanted=wanted)
    answer = send(ben, file_of(batch()))
    lines = ben.get(f"{PATH}/{answer['id']}/lines").json["lines"]
    for line in lines:
        assert ben.post(f"/api/transactions/{line['transactionId']}/confirm").status_code == 200
    split(wanted=not wanted)
    assert counted(send(ben, file_of(batch()))) == [(0, len(lines), 0)]
    assert len(amounts(session)) == len(lines)


def test_payments_in_another_order_are_the_same_ones(ben, split):
    split()
    send(ben, file_of(batch()))
    assert counted(send(ben, file_of(batch(*PAID[::-1])))) == [(0, 3, 0)]


def test_equal_batches_of_a_day_are_counted_as_equal_lines_are(ben, split, session):
    split()
    twice = [batch(reference="NONREF"), batch(reference="NONREF")]
    assert counted(send(ben, file_of(*twice))) == [(6, 0, 0)]
    assert counted(send(ben, file_of(*twice, batch(reference="NONREF")))) == [(3, 6, 0)]
    split(wanted=False)
    assert counted(send(ben, file_of(*twice, *twice))) == [(1, 9, 0)]
    assert sum(amounts(session)) == 4 * 3000


def test_a_file_that_tells_nothing_of_the_payments_knows_that_they_are_there(ben, split, session):
    split()
    send(ben, file_of(batch()))
    answer = send(ben, file_of(entry("30.00", "CRDT", reference="B1")))
    assert counted(answer) == [(0, 1, 0)]
    lines = ben.get(f"{PATH}/{answer['id']}/lines").json["lines"]
    assert [(each["verdict"], each["reason"]) for each in lines] == [
        ("ALREADY_THERE", "It is in the books as its payments, one line each.")
    ]
    assert counted(send(ben, file_of(batch(("Ada", "10.00"), ("Ben", "20.00"))))) == [(0, 1, 0)]
    assert len(amounts(session)) == 3


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (batch(("Ada", "10.00"), ("Ben", "19.99")), "its 2 payments do not add up to it"),
        (entry("30.00", "CRDT", payment(), payment(), reference="B1"), "its 2 payments have no amounts of their own"),
        (
            entry("30.00", "CRDT", tag("Btch", tag("NbOfTxs", "25")), reference="B1"),
            "its 25 payments have no amounts of their own",
        ),
        (batch(("Ada", "10.001"), ("Ben", "19.999")), "its 2 payments do not add up to it"),
    ],
)  # fmt: skip
def test_a_batch_that_cannot_be_split_stays_one_line_with_a_warning(ben, split, session, content, why):
    split()
    answer = send(ben, file_of(content))
    assert f"Line 1 of 2 Mar 2026 stays one line: {why}." in answer["warnings"]
    assert counted(answer) == [(1, 0, 0)]
    assert amounts(session) == [3000]
    assert not any("stays one line" in each for each in send(ben, file_of(content))["warnings"])


def test_many_such_batches_are_warned_of_together(ben, split):
    split()
    contents = [batch(("Ada", "1.00"), ("Ben", "2.00"), reference=f"B{number}") for number in range(8)]
    said = [each for each in send(ben, file_of(*contents))["warnings"] if "stay" in each]
    assert (len(said), said[-1]) == (6, "3 more batches stay one line each.")


def test_a_payment_that_goes_the_other_way_counts_against_its_batch(ben, split, session):
    split()
    returned = paid("Dan", "5.00", tag("CdtDbtInd", "DBIT"))
    details = [paid("Ada", "35.00"), returned]
    send(ben, file_of(entry("30.00", "CRDT", *details, reference="B1")))
    assert amounts(session) == [-500, 3500]


def test_a_pending_batch_becomes_the_booked_one_whatever_was_switched(ben, split, session):
    split()
    assert counted(send(ben, file_of(batch(status="PDNG")))) == [(0, 0, 3)]
    assert counted(send(ben, file_of(batch(status="PDNG")))) == [(0, 0, 3)]
    split(wanted=False)
    assert counted(send(ben, file_of(batch()))) == [(1, 0, 0)]
    states = session.scalars(sa.select(Transaction.status).order_by(Transaction.id)).all()
    assert states == ["BOOKED", "REMOVED", "REMOVED", "REMOVED", "BOOKED"]


def test_a_split_batch_is_taken_back_whole_and_may_come_again(ben, split, session):
    split()
    first, second = (send(ben, file_of(batch())) for _ in range(2))
    assert ben.delete(f"{PATH}/{first['id']}").status_code == 200
    assert len(amounts(session)) == 3
    assert ben.delete(f"{PATH}/{second['id']}").status_code == 200
    assert amounts(session) == []
    split(wanted=False)
    assert counted(send(ben, file_of(batch()))) == [(1, 0, 0)]


def test_a_batch_that_the_feed_may_have_given_whole_is_not_split(ben, split, session):
    split()
    fa_id = send(ben, file_of(entry(reference="OPENED")))["accounts"][0]["faId"]
    line = {
        "providerTransactionId": "F1", "bookedOn": "2026-03-02", "amount": "30.00", "description": "Collected",
    }  # fmt: skip
    pushed = ben.post(f"/api/feeds/accounts/{fa_id}/transactions", json={"batchId": "1", "added": [line]})
    assert pushed.status_code == 200, pushed.json
    answer = send(ben, file_of(batch()))
    lines = ben.get(f"{PATH}/{answer['id']}/lines").json["lines"]
    assert len(lines) == 1
    assert lines[0]["verdict"] in {"POSSIBLY_THERE", "ALREADY_THERE"}


def test_the_balances_hold_whether_a_batch_is_split_or_not(ben, split):
    split()
    opening, closing = balance("OPBD", "100.00", "2026-03-01"), balance("CLBD", "130.00", on="2026-03-02")
    account = send(ben, message(statement(opening, batch(), closing)))["accounts"][0]
    assert (account["openingBalance"], account["sum"], account["closingBalance"]) == (
        "100.00",
        "30.00",
        "130.00",
    )


def test_an_owner_sets_it_on_the_accounts_page(ada, ben, split):
    split(wanted=False)
    (account,) = ben.get("/api/feeds/accounts").json["feedAccounts"]
    page, browser = f"/accounts/{account['accountId']}", ada.browser()
    assert 'value="true" checked' not in browser.get(page).text.partition("CAMT files of this account")[2]
    answer = browser.post(f"/feeds/{account['faId']}/batches", data={"splitsBatches": "true"})
    assert (answer.status_code, answer.headers["Location"]) == (303, page)
    assert 'value="true" checked' in browser.get(page).text.partition("CAMT files of this account")[2]
    assert counted(send(ben, file_of(batch()))) == [(3, 0, 0)]
    assert ben.browser().post(f"/feeds/{account['faId']}/batches").status_code == 403
