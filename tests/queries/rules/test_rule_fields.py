"""Fields that rules ask are found on the lines and documents that rules are evaluated for."""

from webapp.ledger.matching.lines import BankLine
from webapp.ledger.rules.fields import LINE_COLUMNS, Field
from webapp.models import Document, Transaction


def test_a_field_names_a_column_of_stored_lines_and_an_attribute_of_new_ones():
    stored, new = set(Transaction.__table__.columns.keys()), set(BankLine._fields)
    assert set(LINE_COLUMNS) <= stored & new


def test_a_field_names_an_attribute_of_documents():
    named = {each.of_document for each in Field if isinstance(each.of_document, str)}
    assert {name for name in named if not hasattr(Document, name)} == set()


def test_a_field_has_a_source_and_a_kind_of_ids_the_key_that_they_are_sent_under():
    assert [each for each in Field if not (each.of_line or each.of_document)] == [Field.ANY_TEXT]
    assert {each for each in Field if each.id_key} == {each for each in Field if each.kind.name == "ID"}
