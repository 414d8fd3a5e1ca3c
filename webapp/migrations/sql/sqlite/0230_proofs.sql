-- Note which proofs a write touches, and whether only late lines touched them.
-- A late line is BOOKED, is dated by a statement, and is in none. Posted, it is in the books' balance and outstanding, so its
-- proof need not be added up from all lines of its account.

-- An entry touches the proofs that it is dated inside, and those that cleared something of it. It is late where it posts
-- a line that a statement ought to have, and takes nothing back.
CREATE TRIGGER proofs_of_entry AFTER UPDATE OF status ON journal_entries
WHEN OLD.status <> NEW.status
BEGIN
    INSERT INTO touched_proofs (organization_id, reconciliation_id, by_late_lines)
    SELECT r.organization_id, r.id, min(touched.is_late)
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
                                AND o.is_standing = 1
                        )
                )
                AND NOT EXISTS (
                    SELECT 1
                    FROM reconciliations k
                    WHERE k.organization_id = NEW.organization_id AND k.feed_account_id = f.id
                        AND k.keep_as_new = 1 AND k.opening_date >= NEW.effective_on
                )
            ) AS is_late
        FROM (
            SELECT NEW.id AS id, NEW.organization_id AS organization_id, NEW.effective_on AS day,
                coalesce(NEW.corrects_id, NEW.id) AS root
        ) e
        JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
        JOIN feed_accounts f ON f.organization_id = p.organization_id AND f.account_id = p.account_id
        JOIN reconciliations r ON r.organization_id = f.organization_id AND r.feed_account_id = f.id
            AND r.status = 'COMPLETED' AND r.statement_date >= e.day
        UNION ALL
        SELECT i.reconciliation_id, 0
        FROM (
            SELECT NEW.id AS id, NEW.organization_id AS organization_id, NEW.effective_on AS day,
                coalesce(NEW.corrects_id, NEW.id) AS root
        ) e
        JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
        JOIN reconciliation_items i ON i.organization_id = p.organization_id
            AND i.transaction_id = p.transaction_id AND i.is_standing = 1
        UNION ALL
        SELECT i.reconciliation_id, 0
        FROM (
            SELECT NEW.id AS id, NEW.organization_id AS organization_id, NEW.effective_on AS day,
                coalesce(NEW.corrects_id, NEW.id) AS root
        ) e
        JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
        JOIN feed_accounts f ON f.organization_id = p.organization_id AND f.account_id = p.account_id
        JOIN reconciliation_items i ON i.organization_id = f.organization_id AND i.feed_account_id = f.id
            AND i.journal_entry_id = e.root AND i.is_standing = 1
    ) touched
    JOIN reconciliations r ON r.id = touched.id
    WHERE r.status = 'COMPLETED'
    GROUP BY r.organization_id, r.id
    ON CONFLICT (organization_id, reconciliation_id)
    DO UPDATE SET by_late_lines = touched_proofs.by_late_lines AND excluded.by_late_lines;
END;

-- An item that a proof cleared is in transit in each later one when its entry is dated after that statement.
CREATE TRIGGER later_proofs_of_entry AFTER UPDATE OF status ON journal_entries
WHEN OLD.status <> NEW.status
BEGIN
    INSERT INTO touched_proofs (organization_id, reconciliation_id)
    SELECT DISTINCT r.organization_id, r.id
    FROM (
        SELECT i.reconciliation_id AS id
        FROM (
            SELECT NEW.id AS id, NEW.organization_id AS organization_id,
                coalesce(NEW.corrects_id, NEW.id) AS root
        ) e
        JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
        JOIN reconciliation_items i ON i.organization_id = p.organization_id
            AND i.transaction_id = p.transaction_id AND i.is_standing = 1
        UNION ALL
        SELECT i.reconciliation_id
        FROM (
            SELECT NEW.id AS id, NEW.organization_id AS organization_id,
                coalesce(NEW.corrects_id, NEW.id) AS root
        ) e
        JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
        JOIN feed_accounts f ON f.organization_id = p.organization_id AND f.account_id = p.account_id
        JOIN reconciliation_items i ON i.organization_id = f.organization_id AND i.feed_account_id = f.id
            AND i.journal_entry_id = e.root AND i.is_standing = 1
    ) cleared
    JOIN reconciliations c ON c.id = cleared.id
    JOIN reconciliations r ON r.organization_id = c.organization_id AND r.feed_account_id = c.feed_account_id
        AND r.status = 'COMPLETED' AND r.statement_date > c.statement_date
    WHERE 1 = 1
    ON CONFLICT (organization_id, reconciliation_id)
    DO UPDATE SET by_late_lines = false;
END;

-- Imports bring many lines, and hardly ever one that is dated inside a proof.
CREATE TRIGGER proofs_of_line_insert AFTER INSERT ON transactions
WHEN NOT EXISTS (SELECT 1 FROM bulk_turns)
    AND EXISTS (
        SELECT 1
        FROM reconciliations r
        WHERE r.organization_id = NEW.organization_id AND r.feed_account_id = NEW.feed_account_id
            AND r.status = 'COMPLETED' AND r.statement_date >= NEW.booked_on
    )
BEGIN
    INSERT INTO touched_proofs (organization_id, reconciliation_id, by_late_lines)
    SELECT r.organization_id, r.id, min(touched.is_late)
    FROM (
        SELECT r.id, NEW.status = 'BOOKED' AS is_late
        FROM (
            SELECT NEW.id AS id, NEW.organization_id AS organization_id, NEW.feed_account_id AS feed_account_id,
                NEW.booked_on AS day, NEW.status AS status
        ) l
        JOIN reconciliations r ON r.organization_id = l.organization_id
            AND r.feed_account_id = l.feed_account_id AND r.status = 'COMPLETED' AND r.statement_date >= l.day
        WHERE l.status IN ('BOOKED', 'SET_ASIDE')
        UNION ALL
        SELECT i.reconciliation_id, 0
        FROM (
            SELECT NEW.id AS id, NEW.organization_id AS organization_id, NEW.feed_account_id AS feed_account_id,
                NEW.booked_on AS day, NEW.status AS status
        ) l
        JOIN reconciliation_items i ON i.organization_id = l.organization_id AND i.transaction_id = l.id
            AND i.is_standing = 1
    ) touched
    JOIN reconciliations r ON r.id = touched.id
    WHERE r.status = 'COMPLETED'
    GROUP BY r.organization_id, r.id
    ON CONFLICT (organization_id, reconciliation_id)
    DO UPDATE SET by_late_lines = touched_proofs.by_late_lines AND excluded.by_late_lines;
END;

CREATE TRIGGER proofs_of_line_update AFTER UPDATE OF status, booked_on, amount_minor, journal_entry_id,
    feed_account_id ON transactions
WHEN OLD.status IS NOT NEW.status OR OLD.booked_on IS NOT NEW.booked_on
    OR OLD.amount_minor IS NOT NEW.amount_minor OR OLD.journal_entry_id IS NOT NEW.journal_entry_id
    OR OLD.feed_account_id IS NOT NEW.feed_account_id
BEGIN
    INSERT INTO touched_proofs (organization_id, reconciliation_id, by_late_lines)
    SELECT r.organization_id, r.id, min(touched.is_late)
    FROM (
        SELECT r.id,
            (
                OLD.status = 'BOOKED' AND NEW.status = 'BOOKED' AND OLD.feed_account_id = NEW.feed_account_id
                AND NOT EXISTS (
                    SELECT 1
                    FROM reconciliation_items o
                    WHERE o.organization_id = l.organization_id AND o.transaction_id = l.id
                        AND o.is_standing = 1
                )
            ) AS is_late
        FROM (
            SELECT OLD.id AS id, OLD.organization_id AS organization_id, OLD.feed_account_id AS feed_account_id,
                OLD.booked_on AS day, OLD.status AS status
            UNION ALL
            SELECT NEW.id AS id, NEW.organization_id AS organization_id, NEW.feed_account_id AS feed_account_id,
                NEW.booked_on AS day, NEW.status AS status
        ) l
        JOIN reconciliations r ON r.organization_id = l.organization_id
            AND r.feed_account_id = l.feed_account_id AND r.status = 'COMPLETED' AND r.statement_date >= l.day
        WHERE l.status IN ('BOOKED', 'SET_ASIDE')
        UNION ALL
        SELECT i.reconciliation_id, 0
        FROM (
            SELECT OLD.id AS id, OLD.organization_id AS organization_id, OLD.feed_account_id AS feed_account_id,
                OLD.booked_on AS day, OLD.status AS status
            UNION ALL
            SELECT NEW.id AS id, NEW.organization_id AS organization_id, NEW.feed_account_id AS feed_account_id,
                NEW.booked_on AS day, NEW.status AS status
        ) l
        JOIN reconciliation_items i ON i.organization_id = l.organization_id AND i.transaction_id = l.id
            AND i.is_standing = 1
    ) touched
    JOIN reconciliations r ON r.id = touched.id
    WHERE r.status = 'COMPLETED'
    GROUP BY r.organization_id, r.id
    ON CONFLICT (organization_id, reconciliation_id)
    DO UPDATE SET by_late_lines = touched_proofs.by_late_lines AND excluded.by_late_lines;
END;

CREATE TRIGGER proofs_of_line_delete AFTER DELETE ON transactions
BEGIN
    INSERT INTO touched_proofs (organization_id, reconciliation_id)
    SELECT DISTINCT r.organization_id, r.id
    FROM (
        SELECT r.id
        FROM (
            SELECT OLD.id AS id, OLD.organization_id AS organization_id, OLD.feed_account_id AS feed_account_id,
                OLD.booked_on AS day, OLD.status AS status
        ) l
        JOIN reconciliations r ON r.organization_id = l.organization_id
            AND r.feed_account_id = l.feed_account_id AND r.status = 'COMPLETED' AND r.statement_date >= l.day
        WHERE l.status IN ('BOOKED', 'SET_ASIDE')
        UNION ALL
        SELECT i.reconciliation_id
        FROM (
            SELECT OLD.id AS id, OLD.organization_id AS organization_id, OLD.feed_account_id AS feed_account_id,
                OLD.booked_on AS day, OLD.status AS status
        ) l
        JOIN reconciliation_items i ON i.organization_id = l.organization_id AND i.transaction_id = l.id
            AND i.is_standing = 1
    ) touched
    JOIN reconciliations r ON r.id = touched.id
    WHERE r.status = 'COMPLETED'
    ON CONFLICT (organization_id, reconciliation_id)
    DO UPDATE SET by_late_lines = false;
END;

-- The posted entry of a line that is set aside is in transit in all that it is dated after. That of a line which the
-- bank took away is outstanding in none. The day that the bank gave the line meanwhile does not matter.
CREATE TRIGGER proofs_of_set_aside AFTER UPDATE OF status, booked_on, amount_minor, journal_entry_id,
    feed_account_id ON transactions
WHEN (
    OLD.status IS NOT NEW.status OR OLD.booked_on IS NOT NEW.booked_on
    OR OLD.amount_minor IS NOT NEW.amount_minor OR OLD.journal_entry_id IS NOT NEW.journal_entry_id
    OR OLD.feed_account_id IS NOT NEW.feed_account_id
)
    AND (
        'SET_ASIDE' IN (OLD.status, NEW.status) OR 'REMOVED' IN (OLD.status, NEW.status)
        AND EXISTS (
            SELECT 1
            FROM postings p
            JOIN journal_entries e ON e.organization_id = p.organization_id AND e.id = p.journal_entry_id
            WHERE p.organization_id = NEW.organization_id AND p.transaction_id = NEW.id AND e.status <> 'DRAFT'
        )
    )
BEGIN
    INSERT INTO touched_proofs (organization_id, reconciliation_id)
    SELECT r.organization_id, r.id
    FROM reconciliations r
    WHERE r.organization_id = NEW.organization_id AND r.status = 'COMPLETED'
        AND r.feed_account_id IN (OLD.feed_account_id, NEW.feed_account_id)
    ON CONFLICT (organization_id, reconciliation_id)
    DO UPDATE SET by_late_lines = false;
END;

-- The proofs that a bulk turn touches are noted once, at its end.
CREATE TRIGGER proofs_of_bulk_turn AFTER DELETE ON bulk_turns
BEGIN
    INSERT INTO touched_proofs (organization_id, reconciliation_id, by_late_lines)
    SELECT r.organization_id, r.id, brought.is_late
    FROM (
        SELECT t.organization_id, t.feed_account_id, min(t.booked_on) AS first,
            min(t.status = 'BOOKED') AS is_late
        FROM transactions t
        WHERE t.organization_id = OLD.organization_id AND t.import_id = OLD.import_id
            AND t.status IN ('BOOKED', 'SET_ASIDE')
        GROUP BY t.organization_id, t.feed_account_id
    ) brought
    JOIN reconciliations r ON r.organization_id = brought.organization_id
        AND r.feed_account_id = brought.feed_account_id AND r.status = 'COMPLETED'
        AND r.statement_date >= brought.first
    WHERE 1 = 1
    ON CONFLICT (organization_id, reconciliation_id)
    DO UPDATE SET by_late_lines = touched_proofs.by_late_lines AND excluded.by_late_lines;
END;

-- A proof is checked when it stands, and those after it when it is taken back.
CREATE TRIGGER proofs_of_statement AFTER UPDATE OF status ON reconciliations
WHEN (OLD.status IS NOT NEW.status) AND 'COMPLETED' IN (OLD.status, NEW.status)
BEGIN
    INSERT INTO touched_proofs (organization_id, reconciliation_id)
    SELECT DISTINCT r.organization_id, r.id
    FROM reconciliations r
    WHERE r.organization_id = NEW.organization_id AND r.status = 'COMPLETED'
        AND r.feed_account_id = NEW.feed_account_id AND r.statement_date >= NEW.statement_date
    ON CONFLICT (organization_id, reconciliation_id)
    DO UPDATE SET by_late_lines = false;
END;

-- Another ledger account has other postings.
CREATE TRIGGER proofs_of_feed_account AFTER UPDATE OF account_id, currency ON feed_accounts
WHEN OLD.account_id IS NOT NEW.account_id OR OLD.currency IS NOT NEW.currency
BEGIN
    INSERT INTO touched_proofs (organization_id, reconciliation_id)
    SELECT DISTINCT r.organization_id, r.id
    FROM reconciliations r
    WHERE r.organization_id = NEW.organization_id AND r.status = 'COMPLETED' AND r.feed_account_id = NEW.id
    ON CONFLICT (organization_id, reconciliation_id)
    DO UPDATE SET by_late_lines = false;
END;
