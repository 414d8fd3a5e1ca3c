"""What the tests read off the statements of the product: each names its organization for each of its tables."""

import pytest
import sqlalchemy as sa

from tests.fixtures import recorders
from tests.fixtures.helpers.tenancy import KEYS, shape, unnamed
from tests.fixtures.recorders import RECORDER
from tests.tree import ROOT
from webapp.models import Rule

GOOD = {
    "a constant": "SELECT id FROM rules WHERE organization_id = %(organization_id_1)s::VARCHAR AND id = 1",
    "a join": """
        SELECT t.id FROM transactions AS t
        JOIN journal_entries AS e ON e.organization_id = t.organization_id AND e.id = t.journal_entry_id
        LEFT OUTER JOIN (rules AS r JOIN accounts AS a ON a.organization_id = r.organization_id)
        ON r.organization_id = e.organization_id WHERE e.organization_id = :o""",
    "subqueries": """
        SELECT (SELECT count(*) FROM postings AS p WHERE p.organization_id = a.organization_id) FROM accounts AS a
        WHERE a.organization_id = :o
        AND EXISTS (SELECT 1 FROM rules AS r WHERE r.organization_id = a.organization_id)
        AND (a.organization_id, a.id) IN (SELECT p.organization_id, p.account_id FROM postings AS p)""",
    "a union": """
        SELECT u.id FROM (SELECT organization_id, id FROM rules UNION ALL SELECT organization_id, id FROM accounts)
        AS u WHERE u.organization_id = :o""",
    "a recursion": """
        WITH RECURSIVE x(organization_id, id) AS (SELECT organization_id, id FROM rules WHERE organization_id = :o
        UNION ALL SELECT r.organization_id, r.id FROM rules AS r JOIN x ON r.organization_id = x.organization_id)
        SELECT id FROM x""",
    "a lateral join": """
        SELECT l.id FROM rules JOIN LATERAL
        (SELECT a.id FROM accounts AS a WHERE a.organization_id = rules.organization_id LIMIT 1) AS l ON true
        WHERE rules.organization_id = :o""",
    "an update": """
        UPDATE rules AS r SET position = v.position FROM (VALUES (1, 2)) AS v (id, position)
        WHERE r.organization_id = :o AND r.id = v.id RETURNING r.id""",
    "a deletion": """
        DELETE FROM rules USING accounts
        WHERE rules.organization_id = accounts.organization_id AND accounts.organization_id = :o""",
    "rows": "INSERT INTO rules (organization_id, id) VALUES (%(o__0)s, %(id__0)s), (%(o__1)s, %(id__1)s)",
    "rows of another table": """
        INSERT INTO rules (id, organization_id) SELECT a.id, a.organization_id FROM accounts AS a
        WHERE a.organization_id = :o
        ON CONFLICT (organization_id, id) DO UPDATE SET position = excluded.position + rules.position""",
    "staged rows": "INSERT INTO rules (organization_id, id) SELECT :o, s.id FROM staged AS s",
    "one organization": "SELECT 1 FROM organizations WHERE id = :id FOR NO KEY UPDATE",
    "what is of no organization": "SELECT id FROM users",
}
BAD = {
    "an id alone": "SELECT id FROM rules WHERE id = :id",
    "all organizations": "SELECT id FROM organizations",
    "several organizations": "SELECT id FROM rules WHERE organization_id IN (:o)",
    "pairs alone": "SELECT id FROM rules WHERE (organization_id, id) IN ((:o, :id))",
    "a choice": "SELECT id FROM rules WHERE organization_id = :o OR id = 1",
    "a negation": "SELECT id FROM rules WHERE NOT organization_id = :o",
    "a join on ids": """
        SELECT t.id FROM transactions AS t JOIN journal_entries AS e ON e.id = t.journal_entry_id
        WHERE t.organization_id = :o""",
    "the kept side of an outer join": """
        SELECT t.id FROM transactions AS t LEFT JOIN journal_entries AS e
        ON e.organization_id = t.organization_id AND e.organization_id = :o""",
    "a subquery's own": """
        SELECT a.id FROM accounts AS a WHERE a.organization_id = :o
        AND EXISTS (SELECT 1 FROM postings AS p WHERE p.account_id = a.id)""",
    "what a subquery compares with": """
        SELECT a.id FROM accounts AS a WHERE NOT EXISTS
        (SELECT 1 FROM postings AS p WHERE p.organization_id = a.organization_id AND p.organization_id = :o)""",
    "a column": "SELECT (SELECT max(id) FROM rules) AS last",
    "a part of a union": """
        SELECT u.id FROM (SELECT organization_id, id FROM rules WHERE organization_id = :o
        UNION ALL SELECT organization_id, id FROM accounts) AS u""",
    "a common table": "WITH x AS (SELECT id FROM rules) SELECT id FROM x",
    "an update by id": "UPDATE rules SET position = 1 WHERE id = :id",
    "an update's subquery": """
        UPDATE rules SET position = 1 WHERE organization_id = :o AND id IN (SELECT id FROM accounts)""",
    "a deletion by id": "DELETE FROM rules WHERE id = :id",
    "rows of nobody": "INSERT INTO rules (id) VALUES (:id)",
    "rows of all": "INSERT INTO rules (organization_id, id) SELECT organization_id, id FROM accounts",
    "what cannot be read": "SELECT FROM FROM rules WHERE",
    "what is not read": "MERGE INTO rules USING accounts ON rules.id = accounts.id WHEN MATCHED THEN DELETE",
}


@pytest.mark.parametrize("kind", GOOD)
def test_a_statement_that_names_its_organization_is_let_through(kind):
    assert unnamed(shape(GOOD[kind])) == []


@pytest.mark.parametrize("kind", BAD)
def test_a_statement_that_leaves_a_table_open_is_refused(kind):
    assert unnamed(shape(BAD[kind])) != []


@pytest.mark.operates
@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
@pytest.mark.parametrize(
    "statement",
    [
        sa.select(Rule).where(Rule.id == 1),
        sa.select(Rule.__table__.c.id),
        sa.delete(Rule.__table__).where(Rule.id == 1),
        sa.text("SELECT id FROM rules WHERE id = 1"),
    ],
    ids=["the mapper's", "Core", "a deletion", "a text"],
)
def test_the_recorder_hears_what_the_product_asks_however_it_was_made(session, monkeypatch, statement):
    monkeypatch.setattr(RECORDER, "refused", [])
    product = {}
    code = compile("def ask(): session.execute(statement)", f"{ROOT}/webapp/asking.py", "exec")
    exec(code, {"session": session, "statement": statement}, product)  # noqa: S102  (as if it stood there)
    product["ask"]()
    (refused,) = RECORDER.refused
    assert refused.startswith("webapp/asking.py:ask names no organization of rules: ")


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_what_a_test_asks_itself_is_nobodys_business(session):
    before = list(RECORDER.refused)
    session.execute(sa.select(Rule.id))
    assert RECORDER.refused == before


def test_who_may_ask_across_organizations_is_there_and_says_why():
    for name, reason in RECORDER.exempt.items():
        path, _, function = name.partition(":")
        assert reason.endswith("."), name
        assert (ROOT / path).exists(), name
        assert not function or f"def {function}(" in (ROOT / path).read_text(encoding="utf-8"), name


def test_every_table_of_an_organization_is_looked_for():
    assert len(KEYS) > 45
    assert KEYS["organizations"] == "id"
    assert recorders.FILE.exists()
