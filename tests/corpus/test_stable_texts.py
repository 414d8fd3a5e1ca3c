"""The rule made from a line of the corpus matches that line, and has no number, day or time in it."""

import re
from itertools import chain
from types import SimpleNamespace

import pytest

from tests.corpus import manifest
from tests.corpus.comparing import read_or_refused
from webapp.ledger.rules.conditions import Match
from webapp.ledger.rules.fields import Field
from webapp.ledger.rules.items import RuleLine
from webapp.ledger.rules.matching import compiled
from webapp.ledger.suggestions.wording import stable_conditions

# A word with a digit in it that is as long as a number, a day or a time.
NUMBER = re.compile(r"(?<!\S)(?=\S*\d)\S{4,}(?!\S)")


def lines(entry):
    found = read_or_refused(entry.data, entry.mapping or None)
    return list(chain.from_iterable(statement.lines for statement in found.statements)) if found else []


@pytest.mark.parametrize("bank_format", ["camt", "csv", "mt940", "ofx", "qif"])
def test_a_line_is_matched_by_its_own_rule(bank_format):
    every = {
        (line.description, line.counterparty, line.iban, line.amount)
        for entry in manifest.entries(bank_format)[:40]
        for line in lines(entry)[:200]
    }
    texts = 0
    for description, counterparty, iban, amount in every:
        line = SimpleNamespace(
            description=description or "",
            counterparty=counterparty,
            reference=None,
            iban=iban,
            amount_minor=int(amount * 100),
        )
        conditions = stable_conditions([line])
        assert compiled(Match.ALL, conditions).hold(RuleLine(line, "EUR").values()), (line, conditions)
        stable = [each.value for each in conditions if each.field in (Field.COUNTERPARTY, Field.DESCRIPTION)]
        assert not any(NUMBER.search(each) for each in stable), (line, stable)
        texts += len(stable)
    assert texts > len(every) / 2
