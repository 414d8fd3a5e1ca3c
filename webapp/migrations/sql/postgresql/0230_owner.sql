-- Answer what is asked before an organization is known. Each function runs as the owner of the books, and tells about one
-- secret, one person, or the names that it is given.

CREATE FUNCTION organization_of_token(digest text) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN (SELECT organization_id FROM api_tokens WHERE token_hash = digest LIMIT 1);
END
$$;

CREATE FUNCTION organization_of_session(digest text) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN (SELECT organization_id FROM sessions WHERE id_hash = digest LIMIT 1);
END
$$;

CREATE FUNCTION organization_of_invitation(digest text) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN (SELECT organization_id FROM invitations WHERE token_hash = digest LIMIT 1);
END
$$;

CREATE FUNCTION organizations_of_person(person bigint) RETURNS SETOF organizations LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN QUERY
    SELECT o.*
    FROM memberships m
    JOIN organizations o ON o.id = m.organization_id
    WHERE m.user_id = person
    ORDER BY m.created_at, m.organization_id;
END
$$;

CREATE FUNCTION sessions_of_person(person bigint) RETURNS SETOF sessions LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN QUERY SELECT s.* FROM sessions s WHERE s.user_id = person;
END
$$;

CREATE FUNCTION end_session(digest text) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM sessions WHERE id_hash = digest;
END
$$;

CREATE FUNCTION end_sessions_before(instant timestamptz) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM sessions WHERE created_at < instant;
END
$$;

-- All sessions, or the one with this reference.
CREATE FUNCTION end_sessions_of_person(person bigint, reference text) RETURNS SETOF text LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN QUERY DELETE
    FROM sessions s
    WHERE s.user_id = person AND (reference IS NULL OR substr(s.id_hash, 1, 16) = reference)
    RETURNING s.id_hash::text;
END
$$;

-- Nodes compare no rows of one with rows of another: the second question has the values of the first.
CREATE FUNCTION is_invited_later(digest text, instant timestamptz) RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    invited record;
BEGIN
    SELECT organization_id, id, email, linked_at
    INTO invited
    FROM invitations
    WHERE token_hash = digest LIMIT 1;
    RETURN EXISTS (
        SELECT 1
        FROM invitations l
        WHERE l.email = invited.email AND l.organization_id <> invited.organization_id
            AND (l.linked_at > invited.linked_at OR (l.linked_at = invited.linked_at AND l.id > invited.id))
            AND l.expires_at > instant
    );
END
$$;

-- The files of proposals that wait, of all organizations: the folder is one for all.
CREATE FUNCTION named_by_proposals() RETURNS SETOF text LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
SELECT p.form -> 'file' ->> 'kept'
FROM proposals p
JOIN action_requests r ON r.organization_id = p.organization_id AND r.id = p.action_request_id
WHERE r.status = 'PENDING' AND p.form -> 'file' ->> 'kept' IS NOT NULL
$$;

-- An owner alone may look at a table anew. The same as OLD_STATISTICS of webapp for a role that owns the tables.
CREATE FUNCTION refresh_statistics(few bigint, share double precision) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT SET default_statistics_target = 30 AS $$
DECLARE
    old text;
BEGIN
    SELECT string_agg(c.oid::regclass::text, ', ' ORDER BY c.oid::regclass::text)
    INTO old
    FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
        AND (
            c.reltuples <= 0
            OR pg_stat_get_mod_since_analyze(c.oid) + pg_stat_get_xact_tuples_inserted(c.oid)
                + pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid) > few
                + share * c.reltuples
        );
    IF old IS NOT NULL THEN
        EXECUTE 'ANALYZE (SKIP_LOCKED) ' || old;
    END IF;
END
$$;

-- The application may write the hash of a password, and ask for that of one address; it may read no column of them.
CREATE FUNCTION password_hash_of(address text) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN (SELECT u.password_hash FROM users u WHERE u.email = address);
END
$$;

-- How many proofs are broken in all books, and not in which.
CREATE FUNCTION count_broken_proofs() RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN (SELECT count(*) FROM proof_breaks b WHERE b.repaired_at IS NULL);
END
$$;

REVOKE ALL ON FUNCTION
    organization_of_token, organization_of_session, organization_of_invitation, organizations_of_person,
    sessions_of_person, end_session, end_sessions_before, end_sessions_of_person, is_invited_later,
    named_by_proposals, refresh_statistics, password_hash_of, count_broken_proofs
FROM PUBLIC;
