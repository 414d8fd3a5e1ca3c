"""Payments made up with their truth: no invoice is attached and no item settled wrongly by itself; doubt is said."""

from collections import Counter
from datetime import date, timedelta
from random import Random

from tests.fixtures.feeds import Feed, line
from tests.fixtures.helpers.documents import read, sent
from tests.fixtures.helpers.paid_documents import Months
from tests.fixtures.payers.payers import WAYS, Payers, ways_to_add_up
from webapp.ledger.open_items.payment_sets import SetVerdict
from webapp.ledger.open_items.payments import Basis, identified, payment_evidence

IN_PART = {Basis.NUMBERS_IN_PART, Basis.ALMOST, Basis.IN_PART}


def test_no_month_attaches_a_document_to_a_wrong_line(ada, bank, rounds, remark):
    months, counted = Months(Random(2026)), Counter()  # noqa: S311
    feeds = {currency: Feed(ada, bank.open(f"Bank {currency}", currency)) for currency in ("EUR", "USD")}
    for number in range(rounds(2, 40)):
        month = months.month(date(2026, 1, 1) + timedelta(days=31 * number % 300))
        are_lines_first = number % 2 == 0
        numbers = {} if are_lines_first else filed(ada, month)
        pays = sent_lines(feeds, month, number)
        numbers = numbers or filed(ada, month)
        found = {
            (number, each["transactionId"])
            for number, document in numbers.items()
            for each in read(ada, document)["relations"]
        }
        truth = {(each.pays, line_id) for each, line_id in pays if each.pays}
        plain = {(each.pays, line_id) for each, line_id in pays if each.is_plain}
        assert found <= truth, found - truth
        assert plain <= found, plain - found
        counted.update(lines=len(pays), documents=len(numbers), attached=len(found), wrong=len(found - truth))
    remark(", ".join(f"{count} {name}" for name, count in counted.items()))
    assert counted["attached"] > counted["documents"] // 6


def filed(ada, month):
    answers = {number: sent(ada, data, "invoice.xml") for number, data in month.files.items()}
    assert {answer.status_code for answer in answers.values()} == {201}
    return {number: answer.json["document"] for number, answer in answers.items()}


def sent_lines(feeds, month, number):
    """Let the bank send the lines of a month; answers each with its id."""
    pays = []
    for currency, feed in feeds.items():
        lines = [each for each in month.lines if each.currency == currency]
        added = [
            line(f"{currency}-{number}-{place}", each.amount, each.day.isoformat(), each.text,
                 iban=each.iban, currency=currency)
            for place, each in enumerate(lines)
        ]  # fmt: skip
        results = feed.results(added=added)
        pays += [(each, result["transactionId"]) for each, result in zip(lines, results, strict=True)]
    return pays


def test_payments_are_settled_rightly_proposed_well_and_doubted_honestly(rounds, remark):
    payers, right, asked, machine = Payers(Random(2026)), Counter(), Counter(), 0  # noqa: S311
    for number in range(rounds(600, 5_000)):
        month = payers.month(WAYS[number % len(WAYS)])
        evidence = payment_evidence(month.payment, month.items)
        if (item := identified(month.payment, month.items)) is not None:
            machine += 1
            assert ({item.id}, item.amount) == (month.truth, month.payment.amount), month
        first = evidence.choices[0] if evidence.choices else None
        asked[month.way] += 1
        right[month.way] += (frozenset(first.item_ids) if first else frozenset()) == month.truth
        is_decided = first is not None and first.basis in {Basis.IDENTIFICATION, Basis.NUMBERS}
        if not is_decided:
            several = ways_to_add_up(month) > 1
            assert (evidence.verdict is SetVerdict.SEVERAL) == several, month
            assert several or not month.is_ambiguous, month
        assert first is None or first.basis in IN_PART or not first.unused
    share = 100 * sum(right.values()) / sum(asked.values())
    remark(f"{machine} settled by the machine, none wrongly; {share:.1f} % right at the first place")
    assert machine > sum(asked.values()) // 10
    assert share >= 85, {way: f"{right[way]} of {asked[way]}" for way in WAYS}
