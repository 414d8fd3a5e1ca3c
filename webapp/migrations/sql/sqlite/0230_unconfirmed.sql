-- Keep how many BOOKED lines of each month wait to be confirmed: their entry is a draft, or has an open correction marker.

CREATE TRIGGER unconfirmed_of_line_insert AFTER INSERT ON transactions
WHEN NEW.status = 'BOOKED' AND NOT EXISTS (SELECT 1 FROM bulk_turns)
    AND (
        EXISTS (
            SELECT 1
            FROM journal_entries e
            WHERE e.id = NEW.journal_entry_id AND e.organization_id = NEW.organization_id
                AND e.status = 'DRAFT' AND e.corrects_id IS NULL
        )
        OR EXISTS (
            SELECT 1
            FROM journal_entries m
            WHERE m.organization_id = NEW.organization_id AND m.corrects_id = NEW.journal_entry_id
                AND m.status = 'DRAFT'
        )
    )
BEGIN
    INSERT INTO line_month_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, unconfirmed_count
    )
    VALUES (NEW.organization_id, NEW.feed_account_id, substr(NEW.booked_on, 1, 8) || '01', 0, 0, 1)
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET unconfirmed_count = line_month_sums.unconfirmed_count + excluded.unconfirmed_count;
END;

CREATE TRIGGER unconfirmed_of_line_update AFTER UPDATE OF status, booked_on, feed_account_id,
    journal_entry_id ON transactions
WHEN OLD.status IS NOT NEW.status OR OLD.booked_on IS NOT NEW.booked_on
    OR OLD.feed_account_id IS NOT NEW.feed_account_id OR OLD.journal_entry_id IS NOT NEW.journal_entry_id
BEGIN
    INSERT INTO line_month_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, unconfirmed_count
    )
    SELECT l.organization_id, l.feed_account_id, substr(l.booked_on, 1, 8) || '01', 0, 0, sum(l.sign)
    FROM (
        SELECT OLD.organization_id AS organization_id, OLD.feed_account_id AS feed_account_id,
            OLD.booked_on AS booked_on, OLD.status AS status, OLD.journal_entry_id AS journal_entry_id, -1 AS sign
        UNION ALL
        SELECT NEW.organization_id AS organization_id, NEW.feed_account_id AS feed_account_id,
            NEW.booked_on AS booked_on, NEW.status AS status, NEW.journal_entry_id AS journal_entry_id, 1 AS sign
    ) l
    WHERE l.status = 'BOOKED'
        AND (
            EXISTS (
                SELECT 1
                FROM journal_entries e
                WHERE e.id = l.journal_entry_id AND e.organization_id = l.organization_id
                    AND e.status = 'DRAFT' AND e.corrects_id IS NULL
            )
            OR EXISTS (
                SELECT 1
                FROM journal_entries m
                WHERE m.organization_id = l.organization_id AND m.corrects_id = l.journal_entry_id
                    AND m.status = 'DRAFT'
            )
        )
    GROUP BY l.organization_id, l.feed_account_id, substr(l.booked_on, 1, 8) || '01'
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET unconfirmed_count = line_month_sums.unconfirmed_count + excluded.unconfirmed_count;
END;

CREATE TRIGGER unconfirmed_of_line_delete AFTER DELETE ON transactions
WHEN OLD.status = 'BOOKED'
    AND (
        EXISTS (
            SELECT 1
            FROM journal_entries e
            WHERE e.id = OLD.journal_entry_id AND e.organization_id = OLD.organization_id
                AND e.status = 'DRAFT' AND e.corrects_id IS NULL
        )
        OR EXISTS (
            SELECT 1
            FROM journal_entries m
            WHERE m.organization_id = OLD.organization_id AND m.corrects_id = OLD.journal_entry_id
                AND m.status = 'DRAFT'
        )
    )
BEGIN
    UPDATE line_month_sums SET unconfirmed_count = unconfirmed_count - 1
    WHERE organization_id = OLD.organization_id AND feed_account_id = OLD.feed_account_id
        AND day = substr(OLD.booked_on, 1, 8) || '01';
END;

-- The lines of a bulk turn are counted once, at its end; they are new, so that nobody has corrected their entries.
CREATE TRIGGER unconfirmed_of_bulk_turn AFTER DELETE ON bulk_turns
BEGIN
    INSERT INTO line_month_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, unconfirmed_count
    )
    SELECT t.organization_id, t.feed_account_id, substr(t.booked_on, 1, 8) || '01', 0, 0, count(*)
    FROM transactions t
    CROSS JOIN journal_entries e
    WHERE t.organization_id = OLD.organization_id AND t.import_id = OLD.import_id AND t.status = 'BOOKED'
        AND e.id = t.journal_entry_id AND e.organization_id = t.organization_id AND e.status = 'DRAFT'
    GROUP BY t.organization_id, t.feed_account_id, substr(t.booked_on, 1, 8) || '01'
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET unconfirmed_count = line_month_sums.unconfirmed_count + excluded.unconfirmed_count;
END;

-- A new draft has no lines yet, except a marker: those of the entry that it corrects.
CREATE TRIGGER unconfirmed_of_marker_insert AFTER INSERT ON journal_entries
WHEN NEW.corrects_id IS NOT NULL
BEGIN
    INSERT INTO line_month_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, unconfirmed_count
    )
    SELECT t.organization_id, t.feed_account_id, substr(t.booked_on, 1, 8) || '01', 0, 0, count(*)
    FROM transactions t
    WHERE t.journal_entry_id = NEW.corrects_id AND +t.organization_id = NEW.organization_id
        AND t.status = 'BOOKED'
    GROUP BY t.organization_id, t.feed_account_id, substr(t.booked_on, 1, 8) || '01'
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET unconfirmed_count = line_month_sums.unconfirmed_count + excluded.unconfirmed_count;
END;

CREATE TRIGGER unconfirmed_of_marker_delete AFTER DELETE ON journal_entries
WHEN OLD.corrects_id IS NOT NULL
BEGIN
    INSERT INTO line_month_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, unconfirmed_count
    )
    SELECT t.organization_id, t.feed_account_id, substr(t.booked_on, 1, 8) || '01', 0, 0, -count(*)
    FROM transactions t
    WHERE t.journal_entry_id = OLD.corrects_id AND +t.organization_id = OLD.organization_id
        AND t.status = 'BOOKED'
    GROUP BY t.organization_id, t.feed_account_id, substr(t.booked_on, 1, 8) || '01'
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET unconfirmed_count = line_month_sums.unconfirmed_count + excluded.unconfirmed_count;
END;

CREATE TRIGGER unconfirmed_of_posting AFTER UPDATE OF status ON journal_entries
WHEN OLD.status = 'DRAFT' AND NEW.status = 'POSTED'
BEGIN
    INSERT INTO line_month_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, unconfirmed_count
    )
    SELECT t.organization_id, t.feed_account_id, substr(t.booked_on, 1, 8) || '01', 0, 0, -count(*)
    FROM transactions t
    WHERE t.journal_entry_id = coalesce(OLD.corrects_id, OLD.id) AND +t.organization_id = OLD.organization_id
        AND t.status = 'BOOKED'
    GROUP BY t.organization_id, t.feed_account_id, substr(t.booked_on, 1, 8) || '01'
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET unconfirmed_count = line_month_sums.unconfirmed_count + excluded.unconfirmed_count;
END;
