"""The words of a suggested rule: its name, its sentence, and the repeating parts of texts as its conditions."""

from collections.abc import Sequence
from typing import Final

from webapp.ledger import titles
from webapp.ledger.matching.lines import BankLine
from webapp.ledger.rules.conditions import Condition, Operator
from webapp.ledger.rules.fields import Field
from webapp.ledger.rules.items import compact
from webapp.ledger.suggestions.phrases import Words, as_written, beginnings, folded, runs_of

LONGEST_NAME: Final = 255
# The counterparty tells more than a text, which may be about the one payment only.
_TEXTS: Final = (Field.COUNTERPARTY, Field.DESCRIPTION)
# Fewer are rather a terminal or a country, as in "POS AT D6".
LETTERS_OF_A_NAME: Final = 4


def sentence(count: int, total: int, conditions: Sequence[Condition], account_name: str) -> str:
    """Say how many of the matching lines went to an account.

    >>> party = Condition(Field.COUNTERPARTY, value="REWE")
    >>> sentence(7, 8, [party], "Groceries")
    '7 of 8 lines of REWE went to Groceries.'
    >>> sentence(3, 3, [party, Condition(Field.DIRECTION, value="OUT")], "Groceries")
    '3 of 3 payments to REWE went to Groceries.'
    >>> sentence(4, 4, [Condition(Field.DESCRIPTION, value="Parcel stamps")], "Postage")
    '4 of 4 lines with “Parcel stamps” went to Postage.'
    """
    values = {each.field: each.value for each in conditions}
    direction, text = values.get(Field.DIRECTION, ""), values.get(Field.DESCRIPTION)
    whose = values.get(Field.COUNTERPARTY) or values.get(Field.IBAN)
    if whose is None:
        outgoing, incoming = titles.counted(total, "payment"), titles.counted(total, "incoming payment")
        lines = {"OUT": outgoing, "IN": incoming}.get(direction, titles.counted(total, "line"))
    elif direction == "OUT":
        lines = f"{titles.counted(total, 'payment')} to {whose}"
    elif direction == "IN":
        lines = f"{titles.counted(total, 'payment')} from {whose}"
    else:
        lines = f"{titles.counted(total, 'line')} of {whose}"
    return f"{count} of {lines}{f' with “{text}”' if text else ''} went to {account_name}."


def name(conditions: Sequence[Condition]) -> str:
    """Name a rule after the texts of its conditions.

    >>> name([Condition(Field.COUNTERPARTY, value="PayPal"), Condition(Field.DESCRIPTION, value="Spotify")])
    'PayPal: Spotify'
    """
    texts = [each.value for each in conditions if each.field is not Field.DIRECTION]
    return ": ".join(texts)[:LONGEST_NAME]


def stable_conditions(lines: Sequence[BankLine]) -> list[Condition]:
    """Return the conditions that these lines and similar ones meet: a text or an IBAN, and the direction.

    The text has no numbers, days, times and references. If the lines share no words and no
    IBAN, only the direction is left; lines in both directions leave that out too.

    >>> from types import SimpleNamespace as Line
    >>> def line(text, party=None): return Line(description=text, counterparty=party, iban=None, amount_minor=-500)
    >>> [each.value for each in stable_conditions([line("HOFER DANKT 0527 K2 19.10. 17:36")])]
    ['HOFER DANKT', 'OUT']
    >>> [each.value for each in stable_conditions([line("Invoice 17", "REWE 4"), line("Card 3", "Rewe Koeln")])]
    ['REWE', 'OUT']
    """
    directions = {"OUT" if line.amount_minor < 0 else "IN" for line in lines}
    text = _text(lines)
    direction = [Condition(Field.DIRECTION, Operator.EQUALS, each) for each in directions]
    return [*([text] if text else []), *(direction if len(direction) == 1 else [])]


def _text(lines: Sequence[BankLine]) -> Condition | None:
    for field in _TEXTS:
        texts = [
            (line.counterparty if field is Field.COUNTERPARTY else line.description) or "" for line in lines
        ]
        words = _in_common([folded(text) for text in texts])
        if words:
            return Condition(field, Operator.CONTAINS, as_written(words, texts[0]))
    ibans = {compact(line.iban).upper() if line.iban else "" for line in lines}
    iban = ibans.pop() if len(ibans) == 1 else ""
    return Condition(Field.IBAN, Operator.EQUALS, iban) if iban else None


def _in_common(texts: Sequence[str]) -> Words:
    """Find the first name-like words of the first folded text that all texts have next to each other.

    >>> _in_common(["pos 8,30 at d6 05.12. spar dankt 4101 wien nord"])
    ('spar', 'dankt')
    """
    every = [_beginning_in_all(run, texts) for run in runs_of(texts[0])] if texts else []
    names = [words for words in every if _letters(words) >= LETTERS_OF_A_NAME]
    return names[0] if names else max(every, key=_letters, default=())


def _beginning_in_all(run: Words, texts: Sequence[str]) -> Words:
    return next((words for words in beginnings(run) if all(" ".join(words) in text for text in texts)), ())


def _letters(words: Words) -> int:
    return sum(character.isalpha() for word in words for character in word)
