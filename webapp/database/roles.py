"""The roles of PostgreSQL: one owns the books and maintains them; the application is another, for whom policies hold.

The application's may do what requests need: no tables, no triggers, no policies of its own, nothing to the trail but
add to it, and no hash of a password but by asking for one person's. Nodes know no rights on columns: there it may read
them. `migrate` makes it where it may; a role that owns the books then asks as it, transaction by transaction.
"""

from typing import Any, Final

import sqlalchemy as sa

from webapp.database.tenancy import APP_ROLE

# What is only ever added to, and what only migrations write.
ADDED_TO: Final = ("audit_events", "rule_versions")
READ: Final = ("alembic_version",)
MAKE: Final = """
    DO $$ BEGIN
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{role}')
            AND (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user) THEN
            BEGIN
                CREATE ROLE {role} NOLOGIN;
                GRANT {role} TO CURRENT_USER;
            EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
            END;
        END IF;
    END $$"""
# All that is in the schema, also what later migrations bring. An owner that took over sees all as the one before did.
GRANT: Final = """
    DO $$ DECLARE each record; BEGIN
        IF NOT has_schema_privilege('{role}', current_schema(), 'USAGE') THEN
            EXECUTE format('GRANT USAGE ON SCHEMA %I TO {role}', current_schema());
        END IF;
        IF NOT has_database_privilege('{role}', current_database(), 'TEMP') THEN
            EXECUTE format('GRANT TEMP ON DATABASE %I TO {role}', current_database());
        END IF;
        FOR each IN SELECT c.oid, c.relname, c.relkind, c.relowner FROM pg_class c
            WHERE c.relkind IN ('r', 'S') AND c.relnamespace = current_schema()::regnamespace LOOP
            IF each.relkind = 'S' THEN
                EXECUTE format('GRANT USAGE ON SEQUENCE %I TO {role}', each.relname);
            ELSE
                EXECUTE format('REVOKE ALL ON %I FROM {role}; GRANT %s ON %I TO {role}', each.relname,
                    CASE WHEN each.relname = 'users' AND to_regclass('pg_catalog.pg_dist_partition') IS NULL
                         THEN 'INSERT, UPDATE, DELETE, SELECT (' || (SELECT string_agg(quote_ident(attname), ', ')
                            FROM pg_attribute WHERE attrelid = each.oid AND attnum > 0 AND NOT attisdropped
                            AND attname <> 'password_hash') || ')'
                         WHEN each.relname IN ({read}) THEN 'SELECT'
                         WHEN each.relname IN ({added_to}) THEN 'SELECT, INSERT'
                         ELSE 'SELECT, INSERT, UPDATE, DELETE' END, each.relname);
            END IF;
        END LOOP;
        FOR each IN SELECT p.oid::regprocedure AS name FROM pg_proc p
            WHERE p.prosecdef AND p.prorettype <> 'trigger'::regtype
            AND p.pronamespace = current_schema()::regnamespace LOOP
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO {role}', each.name);
        END LOOP;
        FOR each IN SELECT c.relname, pg_get_userbyid(c.relowner) AS owner FROM pg_policy p
            JOIN pg_class c ON c.oid = p.polrelid
            WHERE p.polname = 'of_maintenance' AND p.polroles <> ARRAY[c.relowner]
            AND c.relnamespace = current_schema()::regnamespace LOOP
            EXECUTE format('ALTER POLICY of_maintenance ON %I TO %I', each.relname, each.owner);
        END LOOP;
    END $$"""
IS_THERE: Final = sa.text("SELECT 1 FROM pg_roles WHERE rolname = :role")
UNBOUND: Final = (
    "The database role {name} owns the books, and row-level security does not hold for it. An administrator of the "
    "PostgreSQL server makes it another one to serve them as: CREATE ROLE {role} NOLOGIN; GRANT {role} TO {name}; "
    "then run: tieout migrate"
)
# The rights of the role that signed in, and what the application's may.
LOGIN: Final = sa.text("""
    SELECT r.rolname AS name, r.rolsuper OR r.rolbypassrls AS passes, pg_has_role(r.oid, c.relowner, 'MEMBER') AS owns,
        coalesce(a.rolcanlogin, false) AS app_signs_in,
        coalesce(pg_has_role(r.oid, a.oid, 'MEMBER') AND has_table_privilege(a.oid, c.oid, 'SELECT'), false) AS drops
    FROM pg_roles r JOIN pg_class c ON c.oid = to_regclass('organizations')
    LEFT JOIN pg_roles a ON a.rolname = :role
    WHERE r.rolname = CASE current_user WHEN :role THEN session_user ELSE current_user END""")


def grant(connection: sa.Connection) -> None:
    """Make the application's role where that is allowed, and let it do what requests need of the tables there are."""
    if connection.dialect.name != "postgresql":
        return
    connection.exec_driver_sql(MAKE.format(role=APP_ROLE))
    if connection.scalar(IS_THERE, {"role": APP_ROLE}) is not None:
        read, added_to = (", ".join(f"'{name}'" for name in names) for names in (READ, ADDED_TO))
        connection.exec_driver_sql(
            GRANT.format(role=APP_ROLE, read=read, added_to=added_to).replace("%", "%%")
        )


def unbound(connection: sa.Connection) -> str | None:
    """Say what to do so that policies hold for requests; None where they do."""
    login = _login(connection)
    if login is None or login.drops or not (login.owns or login.passes):
        return None
    return UNBOUND.format(role=APP_ROLE, name=login.name)


def refusal(connection: sa.Connection) -> str | None:
    """Say why the role that signed in may not serve the books; None where it may."""
    login = _login(connection)
    if login is None or not (login.owns or login.passes):
        return None
    if login.app_signs_in:
        return (
            f"The database role {login.name} is for maintenance. Let DATABASE_URL name {APP_ROLE}, and "
            f"MAINTENANCE_DATABASE_URL the role {login.name}: docs/operating/configure.md, PostgreSQL."
        )
    if login.passes and not login.drops:
        return f"The database role {login.name} passes row-level security. Run: tieout migrate"
    return None


def is_for_requests_only(connection: sa.Connection) -> bool:
    """Return whether the role that signed in sees one organization at a time, as no command can work."""
    login = _login(connection)
    return login is not None and not (login.owns or login.passes)


def _login(connection: sa.Connection) -> sa.Row[Any] | None:
    if connection.dialect.name != "postgresql":
        return None
    return connection.execute(LOGIN, {"role": APP_ROLE}).one_or_none()
