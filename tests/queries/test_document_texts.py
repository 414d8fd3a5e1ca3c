"""What a person types finds documents by any part of their texts, as if each text were read."""

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.documents import changed, filed
from webapp.database.sessions import db
from webapp.models import Document
from webapp.queries.documents import texts

TEXTS = (
    "Invoice for Straße 50%_off",
    'CAFÉ MÖWE "quoted" words',
    "cafe mowe",
    "İSTANBUL KEBAP",
    "i\u0307stanbul",
    "ΑΘΗΝΑ 17",
    "Счёт Nº 4711",
    "東京 ホテル 領収書",
    "back\\slash\nand a second line",
    "Თბილისი",
    "banana",
)
TYPED = (
    *("invoice", "nvo", "voice f", "ß", "aße 5", "0%_O", "%", "_", "50%", "zzz", "in", "ab"),
    *(
        "CAFÉ",
        "cafe",
        "é mö",
        'e "quo',
        '"',
        "stanbul",
        "İstanbul",
        "i\u0307stanbul",
        "i\u0307st",
        "αθήνα",
        "αθηνα",
    ),
    *(
        "счёт",
        "nº",
        "Nº 4",
        "東京",
        "京 ホ",
        "領収書",
        "K\\S",
        "h\nand",
        "ꭰꭱꭲ",
        "თბი",
        "Თბი",
        "ananan",
        "nan",
        "a b",
    ),
)
# PostgreSQL has one letter for another in lower case, and so no word for the Turkish capital.
TURKISH = "İ"


@pytest.fixture
def found(ben):
    """Ask for documents of Lantern Studio by what is typed; answers their ids, the newest first."""

    def ask(typed):
        return [each["id"] for each in ben.get("/api/documents", query_string={"q": typed}).json["documents"]]

    return ask


@pytest.fixture
def kept(ben):
    return {filed(ben, text=text)["id"]: text for text in TEXTS}


def test_a_part_of_a_text_is_found_without_case_whatever_the_letters(kept, found, database_kind):
    for typed in TYPED:
        if database_kind == "postgresql" and TURKISH in typed:
            continue
        is_looked_for = len(typed) > 2 or not typed.isascii()
        has_it = [
            document_id
            for document_id, text in kept.items()
            if is_looked_for and typed.lower() in text.lower()
            if database_kind == "sqlite" or TURKISH not in text
        ]
        answered = [each for each in found(typed) if database_kind == "sqlite" or TURKISH not in kept[each]]
        assert answered == has_it[::-1], typed


def test_one_or_two_letters_are_looked_for_in_what_is_short(ben, found):
    filed(ben, text="In the text alone")
    short = [
        filed(ben, **each)["id"] for each in ({"number": "IN-7"}, {"sender": "Inn"}, {"sender": "Berlin"})
    ]
    assert found("in") == short[::-1]


def test_what_changes_is_found_as_it_is_now(ben, found):
    document = filed(ben, text="an old text", sender="Old Mill", number="RE-1")
    changed(ben, document, text="something new")
    assert (found("old text"), found("thing new"), found("old mill")) == (
        [],
        [document["id"]],
        [document["id"]],
    )
    changed(ben, document, sender=None, number="RE-2")
    assert (found("old mill"), found("re-1"), found("re-2")) == ([], [], [document["id"]])
    assert ben.delete(f"/api/documents/{document['id']}").status_code in {200, 204}
    assert (found("thing new"), found("re-2")) == ([], [])


def test_documents_of_others_are_not_found(ben, dan, found):
    filed(dan, text="a word of Dan's own", sender="Zinnia")
    own = filed(ben, text="a word of Ben's own")
    assert (found("word of"), found("zinnia")) == ([own["id"]], [])


def test_letters_in_a_row_are_no_text(kept, found):
    # Each three letters of "ananan" are in "banana".
    assert found("banananana") == []


def test_an_amount_is_found_beside_texts(ben, found):
    with_amount = filed(ben, total="119.00", net="100.00", tax="19.00", currency="EUR")
    with_text = filed(ben, text="due are 119.00 EUR")
    of_yen = filed(ben, total="11900", currency="JPY")
    assert found("119.00") == [with_text["id"], with_amount["id"]]
    assert found("100.00") == found("-19.00") == [with_amount["id"]]
    assert found("11900") == [of_yen["id"]]
    changed(ben, with_amount, total="120.00", tax="20.00")
    assert (found("19.00"), found("120.00")) == ([with_text["id"]], [with_amount["id"]])


def test_the_index_is_asked_before_a_text_is_read(ben, bank):
    def plan():
        asked = sa.select(Document.id).where(
            Document.organization_id == ben.organization_id, texts.matches(ben.organization_id, "nowhere")
        )
        explain = "EXPLAIN QUERY PLAN" if db.engine.dialect.name == "sqlite" else "EXPLAIN"
        compiled = asked.compile(db.engine, compile_kwargs={"literal_binds": True})
        return str(db.session.execute(sa.text(f"{explain} {compiled}".replace(":", r"\:"))).all())

    steps = bank.ask(plan)
    assert "document_texts VIRTUAL TABLE" in steps or "documents_with(" in steps or "@>" in steps


def test_pages_follow_each_other(ben, kept, found):
    ids, cursor = [], {}
    while cursor is not None:
        answer = ben.get("/api/documents", query_string={"q": "ban", "limit": 1, **cursor}).json
        ids += [each["id"] for each in answer["documents"]]
        cursor = {"cursor": answer["nextCursor"]} if answer["nextCursor"] else None
    assert ids == found("ban") == [each for each, text in reversed(kept.items()) if "ban" in text.lower()]
