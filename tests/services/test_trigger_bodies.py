"""PostgreSQL's triggers ask what each node of a database that is spread over several could answer by itself."""

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.trigger_bodies import asks_tables, faults

BODIES = sa.text(
    "SELECT DISTINCT p.proname, p.prosrc, p.prosecdef FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid"
    " WHERE NOT t.tgisinternal AND t.tgrelid IN"
    " (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)"
)
REFUSED = {
    "an organization that is left open": "b := (SELECT 1 FROM rules r WHERE r.id = NEW.id);",
    "an organization that is left open in a condition": (
        "IF EXISTS (SELECT 1 FROM rules r WHERE r.id = NEW.id OR r.organization_id = NEW.organization_id)"
        " THEN RETURN NEW; END IF;"
    ),
    "one of two tables": (
        "FOR a IN SELECT r.id FROM rules r JOIN rule_runs u ON u.rule_id = r.id"
        " WHERE r.organization_id = NEW.organization_id LOOP END LOOP;"
    ),
    "rows of a statement and a table": (
        "FOR a IN SELECT r.id FROM new_rows n JOIN rules r ON r.id = n.id AND r.organization_id = NEW.organization_id"
        " LOOP END LOOP;"
    ),
    "rows of a statement before and after": (
        "FOR a IN SELECT n.id FROM new_rows n, old_rows o WHERE o.id = n.id LOOP END LOOP;"
    ),
    "an INSERT of what is selected from a table": (
        "INSERT INTO rule_runs (organization_id) SELECT r.organization_id FROM rules r"
        " WHERE r.organization_id = NEW.organization_id;"
    ),
    "an INSERT that names none": "INSERT INTO rule_runs (rule_id) VALUES (NEW.id);",
}
TAKEN = """
    FOR a IN SELECT id FROM new_rows EXCEPT SELECT id FROM old_rows LOOP
        b := (SELECT 1 FROM rules r WHERE r.id = a.id AND r.organization_id = NEW.organization_id);
        INSERT INTO rule_runs (organization_id, rule_id) VALUES (NEW.organization_id, b);
        INSERT INTO rule_runs (organization_id, rule_id) SELECT NEW.organization_id, u.id FROM unnest(a.ids) AS u (id);
    END LOOP;"""


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_every_trigger_asks_for_one_organization_and_reads_the_rows_of_its_statement_alone(session):
    bodies = session.execute(BODIES).all()
    assert len(bodies) > 20
    assert {each.proname: found for each in bodies if (found := faults(each.prosrc))} == {}


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)
def test_a_trigger_that_asks_tables_asks_as_their_owner_and_no_other_does(session):
    """On the nodes of a distributed database what another asks beside a policy is refused (`ask_as_owner`)."""
    bodies = session.execute(BODIES).all()
    assert {each.proname for each in bodies if each.prosecdef} == {
        each.proname for each in bodies if asks_tables(each.prosrc)
    }


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_the_reader_of_triggers_refuses(body):
    assert len(faults(f"DECLARE a record; b bigint; BEGIN {body} RETURN NULL; END")) == 1


def test_the_reader_of_triggers_takes_what_each_node_can_answer():
    assert faults(f"DECLARE a record; b bigint; BEGIN {TAKEN} RETURN NULL; END") == []
