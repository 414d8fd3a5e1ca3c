"""A rate of one's own: an amount in the base currency on a posting in another one is taken, and the others share."""

import random
from decimal import Decimal
from io import BytesIO

import pytest

from tests.fixtures import invoices
from tests.fixtures.helpers.documents import DOCUMENTS, sent
from tests.fixtures.helpers.owed import items
from tests.fixtures.helpers.transfers import confirm, send
from webapp.ledger.currencies import digits
from webapp.ledger.money import Money

pytestmark = pytest.mark.usefixtures("sound")
BASES = {"GBP": "1.18", "JPY": "0.0062", "KWD": "3.02"}


@pytest.fixture(params=BASES)
def base(request, bank):
    bank.rebase(request.param)
    for day in ("2026-03-01", "2026-03-04", "2026-03-25"):
        bank.quote(day, "EUR", BASES[request.param])
    return request.param


@pytest.fixture
def write(ben, books):
    """Write an entry of legs as (account, amount, currency, amount in base, merchant)."""

    def written(*legs, **others):
        postings = [
            {
                "accountId": books.account_id(account),
                "amount": amount,
                "currency": currency,
                "amountBase": own,
                "orgMerchantId": more[0] if more else None,
            }
            for account, amount, currency, own, *more in legs
        ]
        body = {"effectiveAt": "2026-03-04", "description": "By contract", "postings": postings}
        return ben.post("/api/journal-entries", json={**body, "post": True, **others})

    return written


def bases(answer):
    assert answer.status_code == 201, answer.json
    return [each["amountBase"] for each in answer.json["entry"]["postings"]]


def worth(minor, base):
    """Give what an amount of euros is worth near the day's rate, in minor units of the base."""
    return int(Decimal(minor) / 100 / Decimal(BASES[base]) * 10 ** digits(base))


def test_the_others_in_its_currency_share_the_rest(write, base):
    chance = random.Random(base)  # noqa: S311
    for _ in range(8):
        parts = [chance.randint(1_000, 90_000) for _ in range(chance.randint(2, 5))]
        own = worth(sum(parts), base) * chance.randint(980, 1020) // 1000
        legs = [("Travel", str(Money(each, "EUR")), "EUR", None) for each in parts]
        found = bases(
            write(
                ("Trade payables", str(Money(-sum(parts), "EUR")), "EUR", str(Money(-own, base))),
                *legs,
                force=True,
            )
        )
        assert Decimal(found[0]) == Money(-own, base).decimal
        assert sum(map(Decimal, found)) == 0
        step = Decimal(1).scaleb(-digits(base))
        for minor, each in zip(parts, found[1:], strict=True):
            assert abs(Decimal(each) - Money(own, base).decimal * minor / sum(parts)) < step


def test_both_given_are_taken_and_must_be_zero_in_sum(write, base):
    own = str(Money(worth(94_400, base), base))
    legs = [("Travel", "944.00", "EUR", own), ("Trade payables", "-944.00", "EUR", f"-{own}")]
    assert bases(write(*legs)) == [own, f"-{own}"]
    other = str(Money(worth(94_400, base) + 1, base))
    refused = write(legs[0], ("Trade payables", "-944.00", "EUR", f"-{other}"))
    assert (refused.status_code, refused.json["code"]) == (422, "unbalanced")


def test_the_other_side_may_be_in_base(write, base):
    own = str(Money(worth(94_400, base), base))
    found = bases(write(("Travel", "944.00", "EUR", own), ("Trade payables", f"-{own}", base, None)))
    assert found == [own, f"-{own}"]


def test_a_rate_far_from_the_day_is_asked(write, base):
    far = worth(94_400, base) * 104 // 100
    own = str(Money(far, base))
    legs = [("Travel", "944.00", "EUR", own), ("Trade payables", "-944.00", "EUR", None)]
    refused = write(*legs)
    assert (refused.status_code, refused.json["code"]) == (409, "rate_differs")
    assert Decimal(refused.json["details"]["ofDay"]) == Decimal(BASES[base])
    assert bases(write(*legs, force=True)) == [own, f"-{own}"]


@pytest.mark.parametrize(
    ("amount", "currency", "own"), [("944.00", "EUR", "-100"), ("944.00", "EUR", "0"), ("944", None, "944")]
)
def test_another_sign_and_an_amount_of_the_base_are_refused(write, base, amount, currency, own):
    refused = write(
        ("Travel", amount, currency or base, own), ("Trade payables", f"-{amount}", currency, None)
    )
    assert (refused.status_code, refused.json["code"]) == (422, "amount_base")


def test_a_draft_keeps_it_whatever_rate_arrives_and_so_do_the_void_and_its_copy(ada, ben, write, base):
    own = str(Money(worth(94_400, base) * 102 // 100, base))
    draft = write(
        ("Travel", "944.00", "EUR", own), ("Trade payables", "-944.00", "EUR", None), post=False
    ).json["entry"]
    rates = [{"day": "2026-03-04", "currency": "EUR", "unitsPerBase": "9.5", "source": "late"}]
    assert ada.put("/api/exchange-rates", json={"rates": rates}).status_code == 200
    assert ben.post(f"/api/journal-entries/{draft['id']}/post", json={}).status_code == 200
    posted = ben.get(f"/api/journal-entries/{draft['id']}").json["entry"]
    assert [each["amountBase"] for each in posted["postings"]] == [own, f"-{own}"]
    voided = ben.post(f"/api/journal-entries/{draft['id']}/void", json={"reason": "x", "copy": True})
    reversal, copy = voided.json["result"]["journalEntryIds"]
    for entry_id, sign in ((reversal, -1), (copy, 1)):
        found = ben.get(f"/api/journal-entries/{entry_id}").json["entry"]["postings"]
        assert [Decimal(each["amountBase"]) for each in found] == [sign * Decimal(own), -sign * Decimal(own)]


def test_paying_realises_what_is_paid_less_its_own_base(ada, ben, books, bank, write, base):
    own = worth(94_400, base) * 98 // 100
    acme = bank.merchant("Acme")
    answer = write(
        ("Trade receivables", "944.00", "EUR", str(Money(own, base)), acme),
        ("Sales of services", "-944.00", "EUR", None),
    )
    assert answer.status_code == 201, answer.json
    [item] = items(ben)
    assert item["amountBase"] == str(Money(own, base))
    line = send(bank, bank.open("Giro", "EUR"), "2026-03-25", "944.00")
    body = {"settles": [{"itemId": item["id"]}]}
    assert ben.patch(f"/api/transactions/{line}", json=body).status_code == 200
    confirm(ben, line)
    entry_id = ben.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    [paid] = [
        Decimal(each["amountBase"])
        for each in ben.get(f"/api/journal-entries/{entry_id}").json["entry"]["postings"]
        if each["isBankLeg"]
    ]
    realised = [
        Decimal(each["amountBase"])
        for found in ben.get("/api/journal-entries").json["entries"]
        for each in found["postings"]
        if each["accountName"] == "Realised exchange differences"
    ]
    # A gain is a credit.
    assert sum(realised) == Money(own, base).decimal - paid


def test_the_page_says_both_rates(ben, write, base):
    own = str(Money(worth(94_400, base) * 102 // 100, base))
    entry = write(("Travel", "944.00", "EUR", own), ("Trade payables", "-944.00", "EUR", None)).json["entry"]
    page = ben.browser().get(f"/journal/{entry['id']}").text
    assert f"instead of {BASES[base]}" in page


def test_a_document_has_its_total_at_a_rate_of_its_own(ben, books, bank, base):
    """The total is what was written, whatever becomes of its parts."""
    own = worth(17_250, base) * 101 // 100
    document = sent(ben, invoices.ubl(), "invoice.xml").json["document"]
    ben.patch(f"{DOCUMENTS}/{document['id']}", json={"orgMerchantId": bank.merchant("Paper Shop")})
    url, body = f"{DOCUMENTS}/{document['id']}/entry", {"accountId": books.account_id("Travel"), "post": True}
    far = ben.post(url, json={**body, "amountBase": str(Money(own * 2, base))})
    assert (far.status_code, far.json["code"]) == (409, "rate_differs")
    answer = ben.post(url, json={**body, "amountBase": str(Money(own, base))})
    assert answer.status_code == 201, answer.json
    found = [Decimal(each["amountBase"]) for each in answer.json["entry"]["postings"]]
    assert sum(found) == 0
    [item] = items(ben)
    assert item["amountBase"] == str(Money(-own, base))


def test_a_table_of_invoices_states_what_each_is_in_base(ben, books, base):
    first, second = (worth(minor, base) * 99 // 100 for minor in (10_000, 25_000))
    amounts = [str(Money(each, base)) for each in (first, second * 3)]
    table = "\n".join(
        [
            "Number,Date,Customer,Total,Currency,Amount in base",
            f"R-1,2026-03-04,Acme,100.00,EUR,{amounts[0]}",
            f"R-2,2026-03-04,Acme,250.00,EUR,{amounts[1]}",
        ]
    )
    sales = str(books.account_id("Sales of services"))
    answer = ben.post(
        f"{DOCUMENTS}/tables",
        data={
            "file": (BytesIO(table.encode()), "sales.csv"),
            "documentType": "INVOICE",
            "makeMerchants": "true",
            "entries": "POSTED",
            "accountId": sales,
        },
    )
    assert answer.status_code == 201, answer.json
    rows = answer.json["table"]["rows"]
    assert [row["journalEntryId"] is None for row in rows] == [False, True]
    assert "instead of" in rows[1]["problem"]
    assert [each["amountBase"] for each in items(ben)] == [amounts[0]]
