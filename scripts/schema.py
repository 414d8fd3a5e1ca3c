"""Print the schema of a database, normalised: what two programs make of empty books can be compared line by line.

python -m scripts.schema sqlite:////tmp/new.sqlite > new.txt
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import pysqlite3
import sqlalchemy as sa

# A literal, a word, a mark of its own, or an operator: white space between them means nothing.
TOKEN = re.compile(r"'(?:[^']|'')*'|\w+|[(),;\[\]]|[^\w\s(),;'\[\]]+")
ASKED = {
    "table": """
        SELECT relname, pg_get_userbyid(relowner), relrowsecurity, relforcerowsecurity, coalesce(relacl::text, '')
        FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace""",
    "column": """
        SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
            coalesce(pg_get_expr(d.adbin, d.adrelid), ''), coalesce(a.attacl::text, ''), a.attstattarget
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'i')
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relnamespace = current_schema()::regnamespace""",
    "constraint": """
        SELECT conrelid::regclass, conname, pg_get_constraintdef(oid), condeferrable, condeferred, convalidated
        FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND contype <> 'n'""",
    "index": "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = current_schema()",
    "policy": """
        SELECT polrelid::regclass, polname, polcmd, polpermissive,
            ARRAY(SELECT rolname FROM pg_roles WHERE oid = ANY (polroles))::text,
            pg_get_expr(polqual, polrelid), coalesce(pg_get_expr(polwithcheck, polrelid), '')
        FROM pg_policy JOIN pg_class c ON c.oid = polrelid WHERE c.relnamespace = current_schema()::regnamespace""",
    "sequence": """
        SELECT c.relname, pg_get_userbyid(c.relowner), coalesce(c.relacl::text, ''), format_type(s.seqtypid, NULL),
            s.seqstart, s.seqincrement, s.seqmax, s.seqmin, s.seqcycle, d.refobjid::regclass, a.attname
        FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid AND c.relnamespace = current_schema()::regnamespace
        LEFT JOIN pg_depend d ON d.objid = c.oid AND d.deptype = 'a'
        LEFT JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid""",
    "function": """
        SELECT pg_get_functiondef(oid), pg_get_userbyid(proowner), coalesce(proacl::text, '')
        FROM pg_proc WHERE pronamespace = current_schema()::regnamespace""",
    "trigger": """
        SELECT pg_get_triggerdef(t.oid), tgenabled FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
        WHERE NOT tgisinternal AND c.relnamespace = current_schema()::regnamespace""",
    "statistics": """
        SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext
        WHERE stxnamespace = current_schema()::regnamespace""",
    "other": """
        SELECT relname, relkind, coalesce(reloptions::text, '') FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace
        AND (relkind NOT IN ('r', 'i', 'S') OR reloptions IS NOT NULL)""",
}


def normalised(value: object) -> str:
    r"""Write a value without what means nothing in SQL.

    >>> normalised("f(a,  'b  c')\n  >= 1")
    "f ( a , 'b  c' ) >= 1"
    """
    return " ".join(TOKEN.findall(str(value)))


def of_postgresql(connection: sa.Connection) -> Iterator[tuple[object, ...]]:
    """Ask PostgreSQL's catalogue."""
    for kind, asked in ASKED.items():
        for row in connection.exec_driver_sql(asked, execution_options={"no_parameters": True}):
            yield kind, *row


def of_sqlite(connection: sa.Connection) -> Iterator[tuple[object, ...]]:
    """Read SQLite's statements, each part of a table's by itself."""
    for kind, name, table, written in connection.exec_driver_sql(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL"
    ):
        if kind != "table":
            yield kind, table, name, written
            continue
        head, _, rest = written.partition("(")
        parts, tail = split(rest)
        yield kind, name, "VIRTUAL" in head, tail
        for part in parts:
            # A check that was added with its column stands in it.
            column, inside, check = part.partition(" CONSTRAINT ")
            yield "part", name, column
            if inside:
                yield "part", name, f"CONSTRAINT {check}"


def split(written: str) -> tuple[list[str], str]:
    """Split what stands in a table's statement behind the first bracket: its parts, and what follows the last bracket.

    >>> split("a INTEGER, b TEXT DEFAULT (',')) WITHOUT ROWID")
    (['a INTEGER', "b TEXT DEFAULT (',')"], ' WITHOUT ROWID')
    """
    parts, depth, begin, is_text = [], 0, 0, False
    for at, sign in enumerate(written):
        if sign == "'":
            is_text = not is_text
        elif not is_text and sign in "()":
            depth += 1 if sign == "(" else -1
        if not is_text and (depth < 0 or (sign == "," and depth == 0)):
            parts.append(written[begin:at].strip())
            begin = at + 1
            if depth < 0:
                break
    return parts, written[begin:]


def lines(url: str) -> list[str]:
    """Describe the database at an address."""
    engine = sa.create_engine(url, **({"module": pysqlite3} if url.startswith("sqlite") else {}))
    with engine.connect() as connection:
        read = of_sqlite if engine.name == "sqlite" else of_postgresql
        found = sorted(" | ".join(map(normalised, row)) for row in read(connection))
    engine.dispose()
    return found


if __name__ == "__main__":
    sys.stdout.write("\n".join(lines(sys.argv[1])) + "\n")
