-- Keep the sums of days and months, of postings and of bank lines, and each account's register.

CREATE TRIGGER sums_of_posting AFTER UPDATE OF status ON journal_entries
WHEN OLD.status = 'DRAFT' AND NEW.status = 'POSTED'
BEGIN
    INSERT INTO day_sums (organization_id, account_id, currency, day, amount_minor, amount_base_minor)
    SELECT p.organization_id, p.account_id, p.currency, e.day, sum(p.amount_minor), sum(p.amount_base_minor)
    FROM (SELECT NEW.id AS id, NEW.organization_id AS organization_id, NEW.effective_on AS day) e
    JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
    WHERE 1 = 1
    GROUP BY p.organization_id, p.account_id, p.currency, e.day
    ON CONFLICT (organization_id, account_id, currency, day)
    DO UPDATE SET amount_minor = day_sums.amount_minor + excluded.amount_minor,
        amount_base_minor = day_sums.amount_base_minor + excluded.amount_base_minor;
    INSERT INTO month_sums (organization_id, account_id, currency, day, amount_minor, amount_base_minor)
    SELECT p.organization_id, p.account_id, p.currency, substr(e.day, 1, 8) || '01', sum(p.amount_minor),
        sum(p.amount_base_minor)
    FROM (SELECT NEW.id AS id, NEW.organization_id AS organization_id, NEW.effective_on AS day) e
    JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id
    WHERE 1 = 1
    GROUP BY p.organization_id, p.account_id, p.currency, substr(e.day, 1, 8) || '01'
    ON CONFLICT (organization_id, account_id, currency, day)
    DO UPDATE SET amount_minor = month_sums.amount_minor + excluded.amount_minor,
        amount_base_minor = month_sums.amount_base_minor + excluded.amount_base_minor;
    INSERT INTO register_lines (organization_id, account_id, day, journal_entry_id, posting_id)
    SELECT p.organization_id, p.account_id, e.day, e.id, p.id
    FROM (SELECT NEW.id AS id, NEW.organization_id AS organization_id, NEW.effective_on AS day) e
    JOIN postings p ON p.organization_id = e.organization_id AND p.journal_entry_id = e.id;
END;

CREATE TRIGGER sums_of_line_insert AFTER INSERT ON transactions
WHEN NOT EXISTS (SELECT 1 FROM bulk_turns) AND NEW.status IN ('BOOKED', 'SET_ASIDE')
BEGIN
    INSERT INTO line_day_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
    )
    VALUES (
        NEW.organization_id, NEW.feed_account_id, NEW.booked_on, NEW.amount_minor, NEW.status = 'BOOKED',
        NEW.status = 'BOOKED'
    )
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET amount_minor = line_day_sums.amount_minor + excluded.amount_minor,
        unreconciled_count = line_day_sums.unreconciled_count + excluded.unreconciled_count,
        booked_count = line_day_sums.booked_count + excluded.booked_count;
    INSERT INTO line_month_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
    )
    VALUES (
        NEW.organization_id, NEW.feed_account_id, substr(NEW.booked_on, 1, 8) || '01', NEW.amount_minor,
        NEW.status = 'BOOKED', NEW.status = 'BOOKED'
    )
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET amount_minor = line_month_sums.amount_minor + excluded.amount_minor,
        unreconciled_count = line_month_sums.unreconciled_count + excluded.unreconciled_count,
        booked_count = line_month_sums.booked_count + excluded.booked_count;
END;

CREATE TRIGGER sums_of_line_update AFTER UPDATE OF status, booked_on, amount_minor,
    feed_account_id ON transactions
WHEN OLD.status IS NOT NEW.status OR OLD.booked_on IS NOT NEW.booked_on
    OR OLD.amount_minor IS NOT NEW.amount_minor OR OLD.feed_account_id IS NOT NEW.feed_account_id
BEGIN
    INSERT INTO line_day_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
    )
    SELECT l.organization_id, l.feed_account_id, l.booked_on, sum(l.sign * l.amount_minor),
        sum(
            CASE
                WHEN l.status <> 'BOOKED'
                    OR EXISTS (
                        SELECT 1
                        FROM reconciliation_items i
                        JOIN reconciliations r ON r.id = i.reconciliation_id
                            AND r.organization_id = i.organization_id
                        WHERE i.organization_id = l.organization_id AND i.transaction_id = l.id
                            AND i.is_standing = 1 AND r.status = 'COMPLETED'
                    ) THEN 0
                ELSE l.sign END
        ),
        sum(CASE WHEN l.status = 'BOOKED' THEN l.sign ELSE 0 END)
    FROM (
        SELECT OLD.id AS id, OLD.organization_id AS organization_id, OLD.feed_account_id AS feed_account_id,
            OLD.booked_on AS booked_on, OLD.amount_minor AS amount_minor, OLD.status AS status, -1 AS sign
        UNION ALL
        SELECT NEW.id AS id, NEW.organization_id AS organization_id, NEW.feed_account_id AS feed_account_id,
            NEW.booked_on AS booked_on, NEW.amount_minor AS amount_minor, NEW.status AS status, 1 AS sign
    ) l
    WHERE l.status IN ('BOOKED', 'SET_ASIDE')
    GROUP BY l.organization_id, l.feed_account_id, l.booked_on
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET amount_minor = line_day_sums.amount_minor + excluded.amount_minor,
        unreconciled_count = line_day_sums.unreconciled_count + excluded.unreconciled_count,
        booked_count = line_day_sums.booked_count + excluded.booked_count;
    INSERT INTO line_month_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
    )
    SELECT l.organization_id, l.feed_account_id, substr(l.booked_on, 1, 8) || '01',
        sum(l.sign * l.amount_minor),
        sum(
            CASE
                WHEN l.status <> 'BOOKED'
                    OR EXISTS (
                        SELECT 1
                        FROM reconciliation_items i
                        JOIN reconciliations r ON r.id = i.reconciliation_id
                            AND r.organization_id = i.organization_id
                        WHERE i.organization_id = l.organization_id AND i.transaction_id = l.id
                            AND i.is_standing = 1 AND r.status = 'COMPLETED'
                    ) THEN 0
                ELSE l.sign END
        ),
        sum(CASE WHEN l.status = 'BOOKED' THEN l.sign ELSE 0 END)
    FROM (
        SELECT OLD.id AS id, OLD.organization_id AS organization_id, OLD.feed_account_id AS feed_account_id,
            OLD.booked_on AS booked_on, OLD.amount_minor AS amount_minor, OLD.status AS status, -1 AS sign
        UNION ALL
        SELECT NEW.id AS id, NEW.organization_id AS organization_id, NEW.feed_account_id AS feed_account_id,
            NEW.booked_on AS booked_on, NEW.amount_minor AS amount_minor, NEW.status AS status, 1 AS sign
    ) l
    WHERE l.status IN ('BOOKED', 'SET_ASIDE')
    GROUP BY l.organization_id, l.feed_account_id, substr(l.booked_on, 1, 8) || '01'
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET amount_minor = line_month_sums.amount_minor + excluded.amount_minor,
        unreconciled_count = line_month_sums.unreconciled_count + excluded.unreconciled_count,
        booked_count = line_month_sums.booked_count + excluded.booked_count;
END;

CREATE TRIGGER sums_of_line_delete AFTER DELETE ON transactions
BEGIN
    INSERT INTO line_day_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
    )
    SELECT l.organization_id, l.feed_account_id, l.booked_on, sum(l.sign * l.amount_minor),
        sum(
            CASE
                WHEN l.status <> 'BOOKED'
                    OR EXISTS (
                        SELECT 1
                        FROM reconciliation_items i
                        JOIN reconciliations r ON r.id = i.reconciliation_id
                            AND r.organization_id = i.organization_id
                        WHERE i.organization_id = l.organization_id AND i.transaction_id = l.id
                            AND i.is_standing = 1 AND r.status = 'COMPLETED'
                    ) THEN 0
                ELSE l.sign END
        ),
        sum(CASE WHEN l.status = 'BOOKED' THEN l.sign ELSE 0 END)
    FROM (
        SELECT OLD.id AS id, OLD.organization_id AS organization_id, OLD.feed_account_id AS feed_account_id,
            OLD.booked_on AS booked_on, OLD.amount_minor AS amount_minor, OLD.status AS status, -1 AS sign
    ) l
    WHERE l.status IN ('BOOKED', 'SET_ASIDE')
    GROUP BY l.organization_id, l.feed_account_id, l.booked_on
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET amount_minor = line_day_sums.amount_minor + excluded.amount_minor,
        unreconciled_count = line_day_sums.unreconciled_count + excluded.unreconciled_count,
        booked_count = line_day_sums.booked_count + excluded.booked_count;
    INSERT INTO line_month_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
    )
    SELECT l.organization_id, l.feed_account_id, substr(l.booked_on, 1, 8) || '01',
        sum(l.sign * l.amount_minor),
        sum(
            CASE
                WHEN l.status <> 'BOOKED'
                    OR EXISTS (
                        SELECT 1
                        FROM reconciliation_items i
                        JOIN reconciliations r ON r.id = i.reconciliation_id
                            AND r.organization_id = i.organization_id
                        WHERE i.organization_id = l.organization_id AND i.transaction_id = l.id
                            AND i.is_standing = 1 AND r.status = 'COMPLETED'
                    ) THEN 0
                ELSE l.sign END
        ),
        sum(CASE WHEN l.status = 'BOOKED' THEN l.sign ELSE 0 END)
    FROM (
        SELECT OLD.id AS id, OLD.organization_id AS organization_id, OLD.feed_account_id AS feed_account_id,
            OLD.booked_on AS booked_on, OLD.amount_minor AS amount_minor, OLD.status AS status, -1 AS sign
    ) l
    WHERE l.status IN ('BOOKED', 'SET_ASIDE')
    GROUP BY l.organization_id, l.feed_account_id, substr(l.booked_on, 1, 8) || '01'
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET amount_minor = line_month_sums.amount_minor + excluded.amount_minor,
        unreconciled_count = line_month_sums.unreconciled_count + excluded.unreconciled_count,
        booked_count = line_month_sums.booked_count + excluded.booked_count;
END;

-- The lines of a bulk turn are added up once, at its end.
CREATE TRIGGER sums_of_bulk_turn AFTER DELETE ON bulk_turns
BEGIN
    INSERT INTO line_day_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
    )
    SELECT t.organization_id, t.feed_account_id, t.booked_on, sum(t.amount_minor),
        sum(CASE WHEN t.status = 'BOOKED' THEN 1 ELSE 0 END),
        sum(CASE WHEN t.status = 'BOOKED' THEN 1 ELSE 0 END)
    FROM transactions t
    WHERE t.organization_id = OLD.organization_id AND t.import_id = OLD.import_id
        AND t.status IN ('BOOKED', 'SET_ASIDE')
    GROUP BY t.organization_id, t.feed_account_id, t.booked_on
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET amount_minor = line_day_sums.amount_minor + excluded.amount_minor,
        unreconciled_count = line_day_sums.unreconciled_count + excluded.unreconciled_count,
        booked_count = line_day_sums.booked_count + excluded.booked_count;
    INSERT INTO line_month_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
    )
    SELECT t.organization_id, t.feed_account_id, substr(t.booked_on, 1, 8) || '01', sum(t.amount_minor),
        sum(CASE WHEN t.status = 'BOOKED' THEN 1 ELSE 0 END),
        sum(CASE WHEN t.status = 'BOOKED' THEN 1 ELSE 0 END)
    FROM transactions t
    WHERE t.organization_id = OLD.organization_id AND t.import_id = OLD.import_id
        AND t.status IN ('BOOKED', 'SET_ASIDE')
    GROUP BY t.organization_id, t.feed_account_id, substr(t.booked_on, 1, 8) || '01'
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET amount_minor = line_month_sums.amount_minor + excluded.amount_minor,
        unreconciled_count = line_month_sums.unreconciled_count + excluded.unreconciled_count,
        booked_count = line_month_sums.booked_count + excluded.booked_count;
END;

CREATE TRIGGER sums_of_completed AFTER UPDATE OF status ON reconciliations
WHEN OLD.status <> NEW.status AND NEW.status = 'COMPLETED'
BEGIN
    INSERT INTO line_day_sums (organization_id, feed_account_id, day, amount_minor, unreconciled_count)
    SELECT t.organization_id, t.feed_account_id, t.booked_on, 0, sum(r.sign)
    FROM (SELECT NEW.id AS id, NEW.organization_id AS organization_id, -1 AS sign) r
    JOIN reconciliation_items i ON i.organization_id = r.organization_id AND i.reconciliation_id = r.id
    JOIN transactions t ON t.organization_id = i.organization_id AND t.id = i.transaction_id
    WHERE t.status = 'BOOKED'
    GROUP BY t.organization_id, t.feed_account_id, t.booked_on
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET unreconciled_count = line_day_sums.unreconciled_count + excluded.unreconciled_count;
    INSERT INTO line_month_sums (organization_id, feed_account_id, day, amount_minor, unreconciled_count)
    SELECT t.organization_id, t.feed_account_id, substr(t.booked_on, 1, 8) || '01', 0, sum(r.sign)
    FROM (SELECT NEW.id AS id, NEW.organization_id AS organization_id, -1 AS sign) r
    JOIN reconciliation_items i ON i.organization_id = r.organization_id AND i.reconciliation_id = r.id
    JOIN transactions t ON t.organization_id = i.organization_id AND t.id = i.transaction_id
    WHERE t.status = 'BOOKED'
    GROUP BY t.organization_id, t.feed_account_id, substr(t.booked_on, 1, 8) || '01'
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET unreconciled_count = line_month_sums.unreconciled_count + excluded.unreconciled_count;
END;

CREATE TRIGGER sums_of_reopened AFTER UPDATE OF status ON reconciliations
WHEN OLD.status <> NEW.status AND NEW.status = 'REOPENED'
BEGIN
    INSERT INTO line_day_sums (organization_id, feed_account_id, day, amount_minor, unreconciled_count)
    SELECT t.organization_id, t.feed_account_id, t.booked_on, 0, sum(r.sign)
    FROM (SELECT NEW.id AS id, NEW.organization_id AS organization_id, 1 AS sign) r
    JOIN reconciliation_items i ON i.organization_id = r.organization_id AND i.reconciliation_id = r.id
    JOIN transactions t ON t.organization_id = i.organization_id AND t.id = i.transaction_id
    WHERE t.status = 'BOOKED'
    GROUP BY t.organization_id, t.feed_account_id, t.booked_on
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET unreconciled_count = line_day_sums.unreconciled_count + excluded.unreconciled_count;
    INSERT INTO line_month_sums (organization_id, feed_account_id, day, amount_minor, unreconciled_count)
    SELECT t.organization_id, t.feed_account_id, substr(t.booked_on, 1, 8) || '01', 0, sum(r.sign)
    FROM (SELECT NEW.id AS id, NEW.organization_id AS organization_id, 1 AS sign) r
    JOIN reconciliation_items i ON i.organization_id = r.organization_id AND i.reconciliation_id = r.id
    JOIN transactions t ON t.organization_id = i.organization_id AND t.id = i.transaction_id
    WHERE t.status = 'BOOKED'
    GROUP BY t.organization_id, t.feed_account_id, substr(t.booked_on, 1, 8) || '01'
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET unreconciled_count = line_month_sums.unreconciled_count + excluded.unreconciled_count;
END;
