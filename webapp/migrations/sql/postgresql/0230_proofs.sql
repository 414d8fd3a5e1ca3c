-- Note which proofs a write touches, and whether only late lines touched them.
-- A late line is BOOKED, is dated by a statement, and is in none. Posted, it is in the books' balance and outstanding, so its
-- proof need not be added up from all lines of its account.

-- An entry touches the proofs that it is dated inside, and those that cleared something of it. It is late where it posts
-- a line that a statement ought to have, and takes nothing back.
CREATE FUNCTION proofs_of_entry() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    proof record;
BEGIN
    FOR proof IN
        SELECT touched.id, bool_and(touched.is_late) AS is_late
        FROM (
            SELECT r.id,
                (
                    OLD.status = 'DRAFT' AND NEW.status = 'POSTED' AND NEW.voids_id IS NULL
                    AND EXISTS (
                        SELECT 1
                        FROM transactions t
                        WHERE t.id = p.transaction_id AND t.organization_id = NEW.organization_id
                            AND t.feed_account_id = f.id AND t.status = 'BOOKED'
                            AND NOT EXISTS (
                                SELECT 1
                                FROM reconciliation_items o
                                WHERE o.organization_id = t.organization_id AND o.transaction_id = t.id
                                    AND o.is_standing
                            )
                    )
                    AND NOT EXISTS (
                        SELECT 1
                        FROM reconciliations k
                        WHERE k.organization_id = NEW.organization_id AND k.feed_account_id = f.id
                            AND k.keep_as_new AND k.opening_date >= NEW.effective_on
                    )
                ) AS is_late
            FROM postings p
            JOIN feed_accounts f ON f.organization_id = p.organization_id AND f.account_id = p.account_id
            JOIN reconciliations r ON r.organization_id = f.organization_id AND r.feed_account_id = f.id
                AND r.status = 'COMPLETED' AND r.statement_date >= NEW.effective_on
            WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id
            UNION ALL
            SELECT r.id, false
            FROM (
                SELECT i.reconciliation_id AS id
                FROM postings p
                JOIN reconciliation_items i ON i.organization_id = p.organization_id
                    AND i.transaction_id = p.transaction_id AND i.is_standing
                WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id
                UNION ALL
                SELECT i.reconciliation_id
                FROM postings p
                JOIN feed_accounts f ON f.organization_id = p.organization_id AND f.account_id = p.account_id
                JOIN reconciliation_items i ON i.organization_id = f.organization_id
                    AND i.feed_account_id = f.id AND i.journal_entry_id = coalesce(NEW.corrects_id, NEW.id)
                    AND i.is_standing
                WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id
            ) cleared
            JOIN reconciliations r ON r.organization_id = NEW.organization_id AND r.id = cleared.id
            WHERE r.status = 'COMPLETED'
        ) touched
        GROUP BY touched.id
    LOOP
        INSERT INTO touched_proofs (organization_id, reconciliation_id, by_late_lines)
        VALUES (NEW.organization_id, proof.id, proof.is_late)
        ON CONFLICT (organization_id, reconciliation_id)
        DO UPDATE SET by_late_lines = touched_proofs.by_late_lines AND excluded.by_late_lines;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER proofs_of_entry AFTER UPDATE ON journal_entries
FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION proofs_of_entry();

-- An item that a proof cleared is in transit in each later one when its entry is dated after that statement.
CREATE FUNCTION later_proofs_of_entry() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    proof record;
BEGIN
    FOR proof IN
        SELECT DISTINCT r.id
        FROM (
            SELECT i.reconciliation_id AS id
            FROM postings p
            JOIN reconciliation_items i ON i.organization_id = p.organization_id
                AND i.transaction_id = p.transaction_id AND i.is_standing
            WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id
            UNION ALL
            SELECT i.reconciliation_id
            FROM postings p
            JOIN feed_accounts f ON f.organization_id = p.organization_id AND f.account_id = p.account_id
            JOIN reconciliation_items i ON i.organization_id = f.organization_id AND i.feed_account_id = f.id
                AND i.journal_entry_id = coalesce(NEW.corrects_id, NEW.id) AND i.is_standing
            WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id
        ) cleared
        JOIN reconciliations c ON c.organization_id = NEW.organization_id AND c.id = cleared.id
        JOIN reconciliations r ON r.organization_id = c.organization_id
            AND r.feed_account_id = c.feed_account_id AND r.status = 'COMPLETED'
            AND r.statement_date > c.statement_date
    LOOP
        INSERT INTO touched_proofs (organization_id, reconciliation_id)
        VALUES (NEW.organization_id, proof.id)
        ON CONFLICT (organization_id, reconciliation_id)
        DO UPDATE SET by_late_lines = false;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER later_proofs_of_entry AFTER UPDATE ON journal_entries
FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION later_proofs_of_entry();

CREATE FUNCTION proofs_of_line_insert() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books record;
    batch record;
    proof record;
BEGIN
    FOR books IN SELECT DISTINCT organization_id FROM new_rows LOOP
        CONTINUE WHEN EXISTS (SELECT 1 FROM bulk_turns b WHERE b.organization_id = books.organization_id);
        FOR batch IN
            SELECT feed_account_id, min(booked_on) AS first_day, bool_and(status = 'BOOKED') AS is_late
            FROM new_rows
            WHERE organization_id = books.organization_id AND status IN ('BOOKED', 'SET_ASIDE')
            GROUP BY feed_account_id
        LOOP
            FOR proof IN
                SELECT r.id
                FROM reconciliations r
                WHERE r.organization_id = books.organization_id AND r.status = 'COMPLETED'
                    AND r.feed_account_id = batch.feed_account_id AND r.statement_date >= batch.first_day
            LOOP
                INSERT INTO touched_proofs (organization_id, reconciliation_id, by_late_lines)
                VALUES (books.organization_id, proof.id, batch.is_late)
                ON CONFLICT (organization_id, reconciliation_id)
                DO UPDATE SET by_late_lines = touched_proofs.by_late_lines AND excluded.by_late_lines;
            END LOOP;
        END LOOP;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER proofs_of_line_insert AFTER INSERT ON transactions REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION proofs_of_line_insert();

-- A line that moved to another account changed in one image there, and in one here.
CREATE FUNCTION proofs_of_line_update() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books record;
    batch record;
    proof record;
    are_late boolean;
BEGIN
    FOR batch IN
        SELECT organization_id, feed_account_id, array_agg(DISTINCT id) AS ids,
            min(booked_on) FILTER (WHERE status IN ('BOOKED', 'SET_ASIDE')) AS first_day,
            bool_and(status = 'BOOKED')
            AND count(*) = 2 * count(DISTINCT id) AS is_late
        FROM (
            (
                SELECT organization_id, id, feed_account_id, booked_on, amount_minor, status, journal_entry_id
                FROM new_rows
                EXCEPT
                SELECT organization_id, id, feed_account_id, booked_on, amount_minor, status, journal_entry_id
                FROM old_rows
            )
            UNION ALL (
                SELECT organization_id, id, feed_account_id, booked_on, amount_minor, status, journal_entry_id
                FROM old_rows
                EXCEPT
                SELECT organization_id, id, feed_account_id, booked_on, amount_minor, status, journal_entry_id
                FROM new_rows
            )
        ) changed
        GROUP BY organization_id, feed_account_id
    LOOP
        are_late := batch.is_late
            AND NOT EXISTS (
                SELECT 1
                FROM reconciliation_items o
                WHERE o.organization_id = batch.organization_id AND o.transaction_id = ANY (batch.ids)
                    AND o.is_standing
            );
        FOR proof IN
            SELECT r.id
            FROM reconciliations r
            WHERE r.organization_id = batch.organization_id AND r.status = 'COMPLETED'
                AND r.feed_account_id = batch.feed_account_id AND r.statement_date >= batch.first_day
            UNION
            SELECT i.reconciliation_id
            FROM reconciliation_items i
            JOIN reconciliations r ON r.organization_id = i.organization_id AND r.id = i.reconciliation_id
            WHERE i.organization_id = batch.organization_id AND i.transaction_id = ANY (batch.ids)
                AND i.is_standing AND r.status = 'COMPLETED'
        LOOP
            INSERT INTO touched_proofs (organization_id, reconciliation_id, by_late_lines)
            VALUES (batch.organization_id, proof.id, are_late)
            ON CONFLICT (organization_id, reconciliation_id)
            DO UPDATE SET by_late_lines = touched_proofs.by_late_lines AND excluded.by_late_lines;
        END LOOP;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER proofs_of_line_update AFTER UPDATE ON transactions
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION proofs_of_line_update();

CREATE FUNCTION proofs_of_line_delete() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books record;
    batch record;
    proof record;
BEGIN
    FOR books IN SELECT DISTINCT organization_id FROM old_rows LOOP
        FOR batch IN
            SELECT feed_account_id, min(booked_on) AS first_day
            FROM old_rows
            WHERE organization_id = books.organization_id AND status IN ('BOOKED', 'SET_ASIDE')
            GROUP BY feed_account_id
        LOOP
            FOR proof IN
                SELECT r.id
                FROM reconciliations r
                WHERE r.organization_id = books.organization_id AND r.status = 'COMPLETED'
                    AND r.feed_account_id = batch.feed_account_id AND r.statement_date >= batch.first_day
            LOOP
                INSERT INTO touched_proofs (organization_id, reconciliation_id)
                VALUES (books.organization_id, proof.id)
                ON CONFLICT (organization_id, reconciliation_id)
                DO UPDATE SET by_late_lines = false;
            END LOOP;
        END LOOP;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER proofs_of_line_delete AFTER DELETE ON transactions REFERENCING OLD TABLE AS old_rows
FOR EACH STATEMENT EXECUTE FUNCTION proofs_of_line_delete();

-- The posted entry of a line that is set aside is in transit in all that it is dated after. That of a line which the
-- bank took away is outstanding in none. The day that the bank gave the line meanwhile does not matter.
CREATE FUNCTION proofs_of_set_aside() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books record;
    batch record;
    proof record;
BEGIN
    FOR batch IN
        SELECT organization_id, min(feed_account_id) AS one_id, max(feed_account_id) AS other_id, id,
            bool_or(status = 'SET_ASIDE') AS is_aside
        FROM (
            (
                SELECT organization_id, id, feed_account_id, booked_on, amount_minor, status, journal_entry_id
                FROM new_rows
                EXCEPT
                SELECT organization_id, id, feed_account_id, booked_on, amount_minor, status, journal_entry_id
                FROM old_rows
            )
            UNION ALL (
                SELECT organization_id, id, feed_account_id, booked_on, amount_minor, status, journal_entry_id
                FROM old_rows
                EXCEPT
                SELECT organization_id, id, feed_account_id, booked_on, amount_minor, status, journal_entry_id
                FROM new_rows
            )
        ) changed
        GROUP BY organization_id, id
        HAVING bool_or(status = 'SET_ASIDE' OR (status = 'REMOVED' AND journal_entry_id IS NOT NULL))
    LOOP
        CONTINUE WHEN NOT batch.is_aside
            AND NOT EXISTS (
                SELECT 1
                FROM postings p
                JOIN journal_entries e ON e.organization_id = p.organization_id AND e.id = p.journal_entry_id
                WHERE p.organization_id = batch.organization_id AND p.transaction_id = batch.id
                    AND e.status <> 'DRAFT'
            );
        FOR proof IN
            SELECT r.id
            FROM reconciliations r
            WHERE r.organization_id = batch.organization_id AND r.status = 'COMPLETED'
                AND r.feed_account_id IN (batch.one_id, batch.other_id)
        LOOP
            INSERT INTO touched_proofs (organization_id, reconciliation_id)
            VALUES (batch.organization_id, proof.id)
            ON CONFLICT (organization_id, reconciliation_id)
            DO UPDATE SET by_late_lines = false;
        END LOOP;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER proofs_of_set_aside AFTER UPDATE ON transactions
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION proofs_of_set_aside();

-- The proofs that a bulk turn touches are noted once, at its end.
CREATE FUNCTION proofs_of_bulk_turn() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books record;
    batch record;
    proof record;
BEGIN
    FOR batch IN
        SELECT t.feed_account_id, min(t.booked_on) AS first_day, bool_and(t.status = 'BOOKED') AS is_late
        FROM transactions t
        WHERE t.organization_id = OLD.organization_id AND t.import_id = OLD.import_id
            AND t.status IN ('BOOKED', 'SET_ASIDE')
        GROUP BY t.feed_account_id
    LOOP
        FOR proof IN
            SELECT r.id
            FROM reconciliations r
            WHERE r.organization_id = OLD.organization_id AND r.status = 'COMPLETED'
                AND r.feed_account_id = batch.feed_account_id AND r.statement_date >= batch.first_day
        LOOP
            INSERT INTO touched_proofs (organization_id, reconciliation_id, by_late_lines)
            VALUES (OLD.organization_id, proof.id, batch.is_late)
            ON CONFLICT (organization_id, reconciliation_id)
            DO UPDATE SET by_late_lines = touched_proofs.by_late_lines AND excluded.by_late_lines;
        END LOOP;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER proofs_of_bulk_turn AFTER DELETE ON bulk_turns
FOR EACH ROW EXECUTE FUNCTION proofs_of_bulk_turn();

-- A proof is checked when it stands, and those after it when it is taken back.
CREATE FUNCTION proofs_of_statement() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    proof record;
BEGIN
    FOR proof IN
        SELECT r.id
        FROM reconciliations r
        WHERE r.organization_id = NEW.organization_id AND r.status = 'COMPLETED'
            AND r.feed_account_id = NEW.feed_account_id AND r.statement_date >= NEW.statement_date
    LOOP
        INSERT INTO touched_proofs (organization_id, reconciliation_id)
        VALUES (NEW.organization_id, proof.id)
        ON CONFLICT (organization_id, reconciliation_id)
        DO UPDATE SET by_late_lines = false;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER proofs_of_statement AFTER UPDATE ON reconciliations
FOR EACH ROW
WHEN (OLD.status <> NEW.status AND ('COMPLETED' = OLD.status OR 'COMPLETED' = NEW.status))
EXECUTE FUNCTION proofs_of_statement();

-- Another ledger account has other postings.
CREATE FUNCTION proofs_of_feed_account() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    proof record;
BEGIN
    FOR proof IN
        SELECT r.id
        FROM reconciliations r
        WHERE r.organization_id = NEW.organization_id AND r.status = 'COMPLETED' AND r.feed_account_id = NEW.id
    LOOP
        INSERT INTO touched_proofs (organization_id, reconciliation_id)
        VALUES (NEW.organization_id, proof.id)
        ON CONFLICT (organization_id, reconciliation_id)
        DO UPDATE SET by_late_lines = false;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER proofs_of_feed_account AFTER UPDATE ON feed_accounts
FOR EACH ROW
WHEN (OLD.account_id IS DISTINCT FROM NEW.account_id OR OLD.currency IS DISTINCT FROM NEW.currency)
EXECUTE FUNCTION proofs_of_feed_account();

-- Who may call such a function could hang it on a temporary table of his own, and write rows of any organization.
REVOKE ALL ON FUNCTION
    proofs_of_entry, later_proofs_of_entry, proofs_of_line_insert, proofs_of_line_update, proofs_of_line_delete,
    proofs_of_set_aside, proofs_of_bulk_turn, proofs_of_statement, proofs_of_feed_account
FROM PUBLIC;
