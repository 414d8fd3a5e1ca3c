-- Keep how many BOOKED lines of each month wait to be confirmed: their entry is a draft, or has an open correction marker.

CREATE FUNCTION unconfirmed_of_line_insert() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books record;
    total record;
    waiting bigint[];
BEGIN
    FOR books IN
        SELECT organization_id, array_agg(DISTINCT journal_entry_id) AS entries
        FROM new_rows
        WHERE status = 'BOOKED' AND journal_entry_id IS NOT NULL
        GROUP BY organization_id
    LOOP
        CONTINUE WHEN EXISTS (SELECT 1 FROM bulk_turns b WHERE b.organization_id = books.organization_id);
        waiting := ARRAY(
            SELECT e.id
            FROM journal_entries e
            WHERE e.organization_id = books.organization_id AND e.id = ANY (books.entries)
                AND e.status = 'DRAFT' AND e.corrects_id IS NULL
            UNION ALL
            SELECT m.corrects_id
            FROM journal_entries m
            WHERE m.organization_id = books.organization_id AND m.corrects_id = ANY (books.entries)
                AND m.status = 'DRAFT'
        );
        SELECT array_agg(feed_account_id) AS accounts, array_agg(day) AS days, array_agg(lines) AS lines
        INTO total
        FROM (
            SELECT t.feed_account_id, date_trunc('month', t.booked_on)::date AS day,
                sum(
                    CASE
                        WHEN t.status = 'BOOKED' AND t.journal_entry_id IN (SELECT unnest(waiting)) THEN 1
                        ELSE 0 END
                ) AS lines
            FROM new_rows t
            WHERE t.organization_id = books.organization_id
            GROUP BY t.feed_account_id, date_trunc('month', t.booked_on)::date
        ) sums
        WHERE lines <> 0;
        INSERT INTO line_month_sums (
            organization_id, feed_account_id, day, amount_minor, unreconciled_count, unconfirmed_count
        )
        SELECT books.organization_id, u.feed_account_id, u.day, 0, 0, u.lines
        FROM unnest(total.accounts, total.days, total.lines) AS u (feed_account_id, day, lines)
        ON CONFLICT (organization_id, feed_account_id, day)
        DO UPDATE SET unconfirmed_count = line_month_sums.unconfirmed_count + excluded.unconfirmed_count;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER unconfirmed_of_line_insert AFTER INSERT ON transactions REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION unconfirmed_of_line_insert();

CREATE FUNCTION unconfirmed_of_line_update() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books record;
    total record;
    waiting bigint[];
BEGIN
    FOR books IN
        SELECT organization_id, array_agg(DISTINCT journal_entry_id) AS entries
        FROM (
            (
                SELECT organization_id, id, feed_account_id, booked_on, status, journal_entry_id
                FROM new_rows
                EXCEPT
                SELECT organization_id, id, feed_account_id, booked_on, status, journal_entry_id
                FROM old_rows
            )
            UNION ALL (
                SELECT organization_id, id, feed_account_id, booked_on, status, journal_entry_id
                FROM old_rows
                EXCEPT
                SELECT organization_id, id, feed_account_id, booked_on, status, journal_entry_id
                FROM new_rows
            )
        ) changed
        WHERE status = 'BOOKED' AND journal_entry_id IS NOT NULL
        GROUP BY organization_id
    LOOP
        waiting := ARRAY(
            SELECT e.id
            FROM journal_entries e
            WHERE e.organization_id = books.organization_id AND e.id = ANY (books.entries)
                AND e.status = 'DRAFT' AND e.corrects_id IS NULL
            UNION ALL
            SELECT m.corrects_id
            FROM journal_entries m
            WHERE m.organization_id = books.organization_id AND m.corrects_id = ANY (books.entries)
                AND m.status = 'DRAFT'
        );
        SELECT array_agg(feed_account_id) AS accounts, array_agg(day) AS days, array_agg(lines) AS lines
        INTO total
        FROM (
            SELECT t.feed_account_id, date_trunc('month', t.booked_on)::date AS day,
                sum(
                    CASE
                        WHEN t.status = 'BOOKED' AND t.journal_entry_id IN (SELECT unnest(waiting)) THEN t.sign
                        ELSE 0 END
                ) AS lines
            FROM (
                SELECT organization_id, feed_account_id, booked_on, status, journal_entry_id, 1 AS sign
                FROM new_rows
                UNION ALL
                SELECT organization_id, feed_account_id, booked_on, status, journal_entry_id, -1
                FROM old_rows
            ) t
            WHERE t.organization_id = books.organization_id
            GROUP BY t.feed_account_id, date_trunc('month', t.booked_on)::date
        ) sums
        WHERE lines <> 0;
        INSERT INTO line_month_sums (
            organization_id, feed_account_id, day, amount_minor, unreconciled_count, unconfirmed_count
        )
        SELECT books.organization_id, u.feed_account_id, u.day, 0, 0, u.lines
        FROM unnest(total.accounts, total.days, total.lines) AS u (feed_account_id, day, lines)
        ON CONFLICT (organization_id, feed_account_id, day)
        DO UPDATE SET unconfirmed_count = line_month_sums.unconfirmed_count + excluded.unconfirmed_count;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER unconfirmed_of_line_update AFTER UPDATE ON transactions
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION unconfirmed_of_line_update();

CREATE FUNCTION unconfirmed_of_line_delete() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books record;
    total record;
    waiting bigint[];
BEGIN
    FOR books IN
        SELECT organization_id, array_agg(DISTINCT journal_entry_id) AS entries
        FROM old_rows
        WHERE status = 'BOOKED' AND journal_entry_id IS NOT NULL
        GROUP BY organization_id
    LOOP
        waiting := ARRAY(
            SELECT e.id
            FROM journal_entries e
            WHERE e.organization_id = books.organization_id AND e.id = ANY (books.entries)
                AND e.status = 'DRAFT' AND e.corrects_id IS NULL
            UNION ALL
            SELECT m.corrects_id
            FROM journal_entries m
            WHERE m.organization_id = books.organization_id AND m.corrects_id = ANY (books.entries)
                AND m.status = 'DRAFT'
        );
        SELECT array_agg(feed_account_id) AS accounts, array_agg(day) AS days, array_agg(lines) AS lines
        INTO total
        FROM (
            SELECT t.feed_account_id, date_trunc('month', t.booked_on)::date AS day,
                sum(
                    CASE
                        WHEN t.status = 'BOOKED' AND t.journal_entry_id IN (SELECT unnest(waiting)) THEN -1
                        ELSE 0 END
                ) AS lines
            FROM old_rows t
            WHERE t.organization_id = books.organization_id
            GROUP BY t.feed_account_id, date_trunc('month', t.booked_on)::date
        ) sums
        WHERE lines <> 0;
        INSERT INTO line_month_sums (
            organization_id, feed_account_id, day, amount_minor, unreconciled_count, unconfirmed_count
        )
        SELECT books.organization_id, u.feed_account_id, u.day, 0, 0, u.lines
        FROM unnest(total.accounts, total.days, total.lines) AS u (feed_account_id, day, lines)
        ON CONFLICT (organization_id, feed_account_id, day)
        DO UPDATE SET unconfirmed_count = line_month_sums.unconfirmed_count + excluded.unconfirmed_count;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER unconfirmed_of_line_delete AFTER DELETE ON transactions REFERENCING OLD TABLE AS old_rows
FOR EACH STATEMENT EXECUTE FUNCTION unconfirmed_of_line_delete();

-- The lines of a bulk turn are counted once, at its end; they are new, so that nobody has corrected their entries.
CREATE FUNCTION unconfirmed_of_bulk_turn() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    total record;
BEGIN
    SELECT array_agg(feed_account_id) AS accounts, array_agg(day) AS days, array_agg(lines) AS lines
    INTO total
    FROM (
        SELECT t.feed_account_id, date_trunc('month', t.booked_on)::date AS day, count(*) AS lines
        FROM transactions t
        JOIN journal_entries e ON e.organization_id = t.organization_id AND e.id = t.journal_entry_id
        WHERE t.organization_id = OLD.organization_id AND t.import_id = OLD.import_id AND t.status = 'BOOKED'
            AND e.status = 'DRAFT'
        GROUP BY t.feed_account_id, date_trunc('month', t.booked_on)::date
    ) sums;
    INSERT INTO line_month_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, unconfirmed_count
    )
    SELECT OLD.organization_id, u.feed_account_id, u.day, 0, 0, u.lines
    FROM unnest(total.accounts, total.days, total.lines) AS u (feed_account_id, day, lines)
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET unconfirmed_count = line_month_sums.unconfirmed_count + excluded.unconfirmed_count;
    RETURN NULL;
END
$$;

CREATE TRIGGER unconfirmed_of_bulk_turn AFTER DELETE ON bulk_turns
FOR EACH ROW EXECUTE FUNCTION unconfirmed_of_bulk_turn();

-- A new draft has no lines yet, except a marker: those of the entry that it corrects.
CREATE FUNCTION unconfirmed_of_entry() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    entry record;
    counted record;
BEGIN
    entry := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    FOR counted IN
        SELECT t.feed_account_id, date_trunc('month', t.booked_on)::date AS day,
            CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END AS lines
        FROM transactions t
        WHERE t.organization_id = entry.organization_id
            AND t.journal_entry_id = coalesce(entry.corrects_id, entry.id) AND t.status = 'BOOKED'
        GROUP BY t.feed_account_id, date_trunc('month', t.booked_on)::date
    LOOP
        INSERT INTO line_month_sums (
            organization_id, feed_account_id, day, amount_minor, unreconciled_count, unconfirmed_count
        )
        VALUES (entry.organization_id, counted.feed_account_id, counted.day, 0, 0, counted.lines)
        ON CONFLICT (organization_id, feed_account_id, day)
        DO UPDATE SET unconfirmed_count = line_month_sums.unconfirmed_count + excluded.unconfirmed_count;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER unconfirmed_of_posting AFTER UPDATE ON journal_entries
FOR EACH ROW WHEN (OLD.status = 'DRAFT' AND NEW.status = 'POSTED') EXECUTE FUNCTION unconfirmed_of_entry();

CREATE TRIGGER unconfirmed_of_marker_insert AFTER INSERT ON journal_entries
FOR EACH ROW WHEN (NEW.corrects_id IS NOT NULL) EXECUTE FUNCTION unconfirmed_of_entry();

CREATE TRIGGER unconfirmed_of_marker_delete AFTER DELETE ON journal_entries
FOR EACH ROW WHEN (OLD.corrects_id IS NOT NULL) EXECUTE FUNCTION unconfirmed_of_entry();

REVOKE ALL ON FUNCTION
    unconfirmed_of_line_insert, unconfirmed_of_line_update, unconfirmed_of_line_delete, unconfirmed_of_bulk_turn,
    unconfirmed_of_entry
FROM PUBLIC;
