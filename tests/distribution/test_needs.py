"""What a PostgreSQL lacks for `tieout distribute` is said sentence by sentence, with the line to type."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from webapp.cli import main
from webapp.distribution.needs import Cluster, ClusterNode, of_cluster

ANSWER = {"triggers": True, "locks": 1_000_000, "roles": ["tieout", "tieout_app"]}
COORDINATOR = ClusterNode(
    "10.0.0.1", 5432, is_coordinator=True, has_shards=False, answer=ANSWER, lets_in=True
)
WORKER = ClusterNode("10.0.0.2", 5432, answer=ANSWER, lets_in=True)
READY = Cluster(
    database="tieout",
    owner="tieout",
    version="13.2-1",
    shards=32,
    relations=250,
    has_role=True,
    nodes=(COORDINATOR, WORKER),
)


def with_worker(**facts):
    return replace(READY, nodes=(COORDINATOR, replace(WORKER, **facts)))


def test_nothing_is_missing_where_all_is_there():
    assert list(of_cluster(READY)) == []


@pytest.mark.parametrize(
    ("cluster", "line"),
    [
        (replace(READY, version="12.1-1"), "ALTER EXTENSION citus UPDATE"),
        (
            replace(READY, nodes=(WORKER,)),
            "SELECT citus_set_coordinator_host('coordinator.example.org', 5432)",
        ),
        (replace(READY, nodes=(COORDINATOR,)), "SELECT citus_add_node('worker.example.org', 5432)"),
        (replace(READY, has_role=False), "CREATE ROLE tieout_app LOGIN; GRANT tieout_app TO tieout"),
        (with_worker(is_active=False), "SELECT citus_activate_node('10.0.0.2', 5432)"),
        (
            with_worker(answer=None, fault="connection refused"),
            "10.0.0.2:5432 did not answer (connection refused)",
        ),
        (
            with_worker(answer={**ANSWER, "triggers": False}),
            'ALTER DATABASE "tieout" SET citus.enable_unsafe_triggers = on',
        ),
        (with_worker(answer={**ANSWER, "roles": ["tieout"]}), 'CREATE ROLE "tieout_app" LOGIN'),
        (with_worker(lets_in=False), "ALTER ROLE tieout_app LOGIN"),
        (with_worker(answer={**ANSWER, "locks": 6400}), "has room for 6,400 locks, and 10,400 are needed"),
    ],
)
def test_what_is_missing_is_one_sentence_with_the_line_to_type(cluster, line):
    (sentence,) = of_cluster(cluster)
    assert line in sentence


@pytest.mark.parametrize(
    ("database_kind", "line"),
    [("sqlite", "tieout restore FILE"), ("postgresql", "This PostgreSQL server has no Citus.")],
    indirect=["database_kind"],
)
def test_a_database_on_one_machine_is_left_as_it_is(app, line):
    # In the application's own context, whose connections the test closes.
    with app.app_context():
        result = CliRunner().invoke(main, ["distribute", "--json"])
        assert CliRunner().invoke(main, ["organizations"]).exit_code == 0
    refused = json.loads(result.stderr)
    assert (result.exit_code, result.stdout, refused["code"]) == (1, "", "not_ready")
    assert line in refused["error"]
