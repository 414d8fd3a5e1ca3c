"""The catalogues of translations hold what pages say, whole, and are compiled."""

import re
from functools import cache

import pytest

from scripts import translations
from webapp.ledger.notation.locales import LANGUAGES
from webapp.web.rendering.languages import COMPOSED, ENGLISH

VALUE = re.compile(r"%\(\w+\)s")
# Each test of a language reads the same catalogue.
updated = cache(translations.updated)


def test_the_sentences_of_the_code_are_listed():
    assert COMPOSED.read_text(encoding="utf-8") == translations.composed()


@pytest.mark.parametrize("language", translations.languages())
def test_a_catalogue_has_exactly_the_messages_of_today_and_is_compiled(language):
    path, found = translations.po_path(language), updated(language)
    assert translations.po_text(found) == path.read_bytes()
    assert translations.mo_text(found) == path.with_suffix(".mo").read_bytes()


@pytest.mark.parametrize("language", translations.languages())
def test_a_translation_has_the_values_of_its_message(language):
    for message in updated(language):
        origins = message.id if message.pluralizable else (message.id,)
        made = [each for each in translations.strings(message) if each]
        values = set(VALUE.findall(" ".join(origins)))
        assert set(VALUE.findall(" ".join(made))) == (values if made else set()), message.id


def test_an_offered_language_is_complete():
    for language in set(LANGUAGES) - {ENGLISH}:
        found = [message for message in updated(language) if message.id]
        assert not [each.id for each in found if each.fuzzy or not all(translations.strings(each))]
