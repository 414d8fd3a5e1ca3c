"""What a PostgreSQL needs before books are spread over its nodes: each missing thing with the line to type."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from webapp.database.tenancy import APP_ROLE
from webapp.distribution.tables import HAS_CITUS, unplaced

if TYPE_CHECKING:
    from collections.abc import Iterator

OLDEST: Final = (13, 0)
# Beside the tables and their indexes, what each transaction of others locks.
SPARE_LOCKS: Final = 1.3
OF_SQLITE: Final = (
    "The books are in an SQLite file, which is on one machine. Move them to PostgreSQL: tieout backup FILE, "
    "then with its DATABASE_URL: tieout restore FILE"
)
NO_CITUS: Final = (
    "This PostgreSQL server has no Citus. Install it on each node, write shared_preload_libraries = 'citus' "
    "into postgresql.conf, and restart the server: docs/scaling.md"
)
IS_AVAILABLE: Final = sa.text("SELECT EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'citus')")
INSTALLATION: Final = sa.text("""
    SELECT current_database() AS database, current_user AS owner, current_setting('citus.shard_count')::int AS shards,
        (SELECT extversion FROM pg_extension WHERE extname = 'citus') AS version,
        (SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = current_schema()::regnamespace)
            AS relations,
        EXISTS (SELECT 1 FROM pg_roles WHERE rolname = :role AND pg_has_role(oid, 'MEMBER')) AS has_role""")
NODES: Final = sa.text("""
    SELECT nodeid AS id, nodename AS host, nodeport AS port, groupid = 0 AS is_coordinator, isactive AS is_active,
        shouldhaveshards AS has_shards
    FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid""")
OF_NODE: Final = """
    SELECT json_build_object(
        'triggers', current_setting('citus.enable_unsafe_triggers') = 'on',
        'locks', current_setting('max_locks_per_transaction')::bigint
            * (current_setting('max_connections')::bigint + current_setting('max_prepared_transactions')::bigint),
        'roles', (SELECT coalesce(json_agg(rolname), '[]') FROM pg_roles WHERE rolname IN ('{owner}', '{role}')))"""
ASKED: Final = sa.text("SELECT nodeid AS id, success, result FROM run_command_on_all_nodes(:question)")


@dataclass(frozen=True, slots=True)
class ClusterNode:
    """A node of the cluster: where it is, and what it allows; without an answer it was not reached."""

    host: str
    port: int
    is_coordinator: bool = False
    is_active: bool = True
    has_shards: bool = True
    answer: dict[str, Any] | None = None
    fault: str = ""
    # Whether the application's role reaches it from the coordinator; None where that could not be tried.
    lets_in: bool | None = None

    @property
    def place(self) -> str:
        """Name it."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A PostgreSQL with Citus, as it was found."""

    database: str
    owner: str
    version: str
    shards: int
    relations: int
    has_role: bool
    nodes: tuple[ClusterNode, ...]


def missing(connection: sa.Connection) -> list[str]:
    """List what is missing, in the order in which it is mended; empty where books can be distributed."""
    if connection.dialect.name != "postgresql":
        return [OF_SQLITE]
    if not connection.scalar(IS_AVAILABLE):
        return [NO_CITUS]
    if not connection.scalar(HAS_CITUS):
        return ["Citus is not in this database. On each node, in this database, run: CREATE EXTENSION citus"]
    return list(of_cluster(_look(connection))) if unplaced(connection) else []


def of_cluster(cluster: Cluster) -> Iterator[str]:
    """List what a cluster lacks."""
    release = tuple(int(part) for part in cluster.version.partition("-")[0].split("."))
    if release < OLDEST:
        yield f"Citus {cluster.version} is too old. Upgrade it on each node, then run: ALTER EXTENSION citus UPDATE"
    if not any(node.is_coordinator for node in cluster.nodes):
        yield (
            "The coordinator is not among the nodes. With the name and port at which the others reach it, run: "
            "SELECT citus_set_coordinator_host('coordinator.example.org', 5432)"
        )
    if not any(node.has_shards for node in cluster.nodes):
        yield "There is no node for rows. For each, run: SELECT citus_add_node('worker.example.org', 5432)"
    if not cluster.has_role:
        yield (
            f"The application's role is missing, or {cluster.owner} may not give it. On the coordinator, as an "
            f"administrator, run: CREATE ROLE {APP_ROLE} LOGIN; GRANT {APP_ROLE} TO {cluster.owner}"
        )
    refusing = [node.place for node in cluster.nodes if node.answer and not node.answer["triggers"]]
    if refusing:
        yield (
            f"Triggers on distributed tables, which guard posted entries, are refused on {', '.join(refusing)}. "
            f'On the coordinator, run: ALTER DATABASE "{cluster.database}" SET citus.enable_unsafe_triggers = on'
        )
    for node in cluster.nodes:
        yield from _of_node(cluster, node)


def _of_node(cluster: Cluster, node: ClusterNode) -> Iterator[str]:
    if not node.is_active:
        yield f"The node {node.place} is not active. Run: SELECT citus_activate_node('{node.host}', {node.port})"
    elif node.answer is None:
        yield (
            f"The node {node.place} did not answer ({node.fault}). Start it; if it runs, see pg_hba.conf there and "
            "pg_dist_authinfo on the coordinator."
        )
    else:
        yield from _of_settings(cluster, node, node.answer)


def _of_settings(cluster: Cluster, node: ClusterNode, answer: dict[str, Any]) -> Iterator[str]:
    for role in sorted({cluster.owner, APP_ROLE} - set(answer["roles"])):
        if role != APP_ROLE or cluster.has_role:
            yield f'The node {node.place} does not know the role {role}. There, run: CREATE ROLE "{role}" LOGIN'
    if node.lets_in is False:
        yield (
            f"The node {node.place} does not let {APP_ROLE} in from the coordinator. Run: ALTER ROLE {APP_ROLE} LOGIN; "
            "and let it in by pg_hba.conf there, or by its password in pg_dist_authinfo on the coordinator."
        )
    nodes = sum(each.has_shards for each in cluster.nodes) or 1
    needed = int(cluster.relations * -(-cluster.shards // nodes) * SPARE_LOCKS)
    if node.has_shards and answer["locks"] < needed:
        yield (
            f"The node {node.place} has room for {answer['locks']:,} locks, and {needed:,} are needed for "
            f"{cluster.shards} shards. Raise max_locks_per_transaction there and restart it, or take fewer shards: "
            "tieout distribute --shards 8"
        )


def _look(connection: sa.Connection) -> Cluster:
    """Ask the cluster what it is."""
    found = connection.execute(INSTALLATION, {"role": APP_ROLE}).one()
    question = OF_NODE.format(owner=found.owner.replace("'", "''"), role=APP_ROLE)
    answers = {row.id: row for row in connection.execute(ASKED, {"question": question})}
    let_in = _reached_as_application(connection) if found.has_role else {}
    nodes = tuple(
        ClusterNode(
            host=row.host,
            port=row.port,
            is_coordinator=row.is_coordinator,
            is_active=row.is_active,
            has_shards=row.has_shards,
            answer=json.loads(answers[row.id].result)
            if row.id in answers and answers[row.id].success
            else None,
            fault=str(answers[row.id].result).partition("\n")[0] if row.id in answers else "no connection",
            lets_in=let_in.get(row.id),
        )
        for row in connection.execute(NODES)
    )
    return Cluster(
        found.database, found.owner, found.version, found.shards, found.relations, found.has_role, nodes
    )


def _reached_as_application(connection: sa.Connection) -> dict[int, bool]:
    """Try which nodes the application's role reaches, for it is as this role that the coordinator asks them."""
    with connection.begin_nested() as attempt:
        connection.exec_driver_sql(f"SET LOCAL ROLE {APP_ROLE}")
        reached = {row.id: row.success for row in connection.execute(ASKED, {"question": "SELECT 1"})}
        attempt.rollback()
    return reached
