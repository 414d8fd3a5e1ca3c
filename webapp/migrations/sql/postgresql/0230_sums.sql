-- Keep the sums of days and months, of postings and of bank lines, and each account's register.

CREATE FUNCTION sums_of_posting() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    total record;
    posting bigint;
BEGIN
    FOR total IN
        SELECT p.account_id, p.currency, sum(p.amount_minor) AS amount_minor,
            sum(p.amount_base_minor) AS base_minor, array_agg(p.id) AS ids
        FROM postings p
        WHERE p.organization_id = NEW.organization_id AND p.journal_entry_id = NEW.id
        GROUP BY p.account_id, p.currency
    LOOP
        INSERT INTO day_sums (organization_id, account_id, currency, day, amount_minor, amount_base_minor)
        VALUES (
            NEW.organization_id, total.account_id, total.currency, NEW.effective_on, total.amount_minor,
            total.base_minor
        )
        ON CONFLICT (organization_id, account_id, currency, day)
        DO UPDATE SET amount_minor = day_sums.amount_minor + excluded.amount_minor,
            amount_base_minor = day_sums.amount_base_minor + excluded.amount_base_minor;
        INSERT INTO month_sums (organization_id, account_id, currency, day, amount_minor, amount_base_minor)
        VALUES (
            NEW.organization_id, total.account_id, total.currency, date_trunc('month', NEW.effective_on)::date,
            total.amount_minor, total.base_minor
        )
        ON CONFLICT (organization_id, account_id, currency, day)
        DO UPDATE SET amount_minor = month_sums.amount_minor + excluded.amount_minor,
            amount_base_minor = month_sums.amount_base_minor + excluded.amount_base_minor;
        FOREACH posting IN ARRAY total.ids LOOP
            INSERT INTO register_lines (organization_id, account_id, day, journal_entry_id, posting_id)
            VALUES (NEW.organization_id, total.account_id, NEW.effective_on, NEW.id, posting);
        END LOOP;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER sums_of_posting AFTER UPDATE ON journal_entries
FOR EACH ROW WHEN (OLD.status = 'DRAFT' AND NEW.status = 'POSTED') EXECUTE FUNCTION sums_of_posting();

-- Bank lines come in bulk: each statement's are added up first, or one day's sum would be updated as often as it has lines.
CREATE FUNCTION sums_of_line_insert() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books record;
    total record;
BEGIN
    FOR books IN SELECT DISTINCT organization_id FROM new_rows LOOP
        CONTINUE WHEN EXISTS (SELECT 1 FROM bulk_turns b WHERE b.organization_id = books.organization_id);
        SELECT array_agg(feed_account_id) AS accounts, array_agg(day) AS days, array_agg(amount) AS amounts,
            array_agg(counted) AS counts, array_agg(booked) AS booked
        INTO total
        FROM (
            SELECT t.feed_account_id, t.booked_on AS day, sum(t.amount_minor) AS amount,
                count(*) FILTER (WHERE t.status = 'BOOKED') AS counted,
                count(*) FILTER (WHERE t.status = 'BOOKED') AS booked
            FROM new_rows t
            WHERE t.organization_id = books.organization_id AND t.status IN ('BOOKED', 'SET_ASIDE')
            GROUP BY t.feed_account_id, t.booked_on
        ) sums;
        INSERT INTO line_day_sums (
            organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
        )
        SELECT books.organization_id, u.feed_account_id, u.day, sum(u.amount), sum(u.counted), sum(u.booked)
        FROM unnest(
            total.accounts, total.days, total.amounts, total.counts, total.booked
        ) AS u (feed_account_id, day, amount, counted, booked)
        GROUP BY u.feed_account_id, u.day
        ON CONFLICT (organization_id, feed_account_id, day)
        DO UPDATE SET amount_minor = line_day_sums.amount_minor + excluded.amount_minor,
            unreconciled_count = line_day_sums.unreconciled_count + excluded.unreconciled_count,
            booked_count = line_day_sums.booked_count + excluded.booked_count;
        INSERT INTO line_month_sums (
            organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
        )
        SELECT books.organization_id, u.feed_account_id, date_trunc('month', u.day)::date, sum(u.amount),
            sum(u.counted), sum(u.booked)
        FROM unnest(
            total.accounts, total.days, total.amounts, total.counts, total.booked
        ) AS u (feed_account_id, day, amount, counted, booked)
        GROUP BY u.feed_account_id, date_trunc('month', u.day)::date
        ON CONFLICT (organization_id, feed_account_id, day)
        DO UPDATE SET amount_minor = line_month_sums.amount_minor + excluded.amount_minor,
            unreconciled_count = line_month_sums.unreconciled_count + excluded.unreconciled_count,
            booked_count = line_month_sums.booked_count + excluded.booked_count;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER sums_of_line_insert AFTER INSERT ON transactions REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION sums_of_line_insert();

CREATE FUNCTION sums_of_line_update() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books record;
    total record;
    cleared bigint[];
BEGIN
    FOR books IN
        SELECT organization_id, array_agg(DISTINCT id) AS ids
        FROM (
            (
                SELECT organization_id, id, feed_account_id, booked_on, amount_minor, status
                FROM new_rows
                EXCEPT
                SELECT organization_id, id, feed_account_id, booked_on, amount_minor, status
                FROM old_rows
            )
            UNION ALL (
                SELECT organization_id, id, feed_account_id, booked_on, amount_minor, status
                FROM old_rows
                EXCEPT
                SELECT organization_id, id, feed_account_id, booked_on, amount_minor, status
                FROM new_rows
            )
        ) changed
        GROUP BY organization_id
    LOOP
        cleared := ARRAY(
            SELECT i.transaction_id
            FROM reconciliation_items i
            JOIN reconciliations r ON r.organization_id = i.organization_id AND r.id = i.reconciliation_id
            WHERE i.organization_id = books.organization_id AND i.transaction_id = ANY (books.ids)
                AND i.is_standing AND r.status = 'COMPLETED'
        );
        SELECT array_agg(feed_account_id) AS accounts, array_agg(day) AS days, array_agg(amount) AS amounts,
            array_agg(counted) AS counts, array_agg(booked) AS booked
        INTO total
        FROM (
            SELECT t.feed_account_id, t.booked_on AS day, sum(t.sign * t.amount_minor) AS amount,
                sum(
                    CASE
                        WHEN t.status = 'BOOKED' AND t.id NOT IN (SELECT unnest(cleared)) THEN t.sign
                        ELSE 0 END
                ) AS counted,
                sum(CASE WHEN t.status = 'BOOKED' THEN t.sign ELSE 0 END) AS booked
            FROM (
                SELECT organization_id, id, feed_account_id, booked_on, amount_minor, status, 1 AS sign
                FROM new_rows
                UNION ALL
                SELECT organization_id, id, feed_account_id, booked_on, amount_minor, status, -1
                FROM old_rows
            ) t
            WHERE t.organization_id = books.organization_id AND t.status IN ('BOOKED', 'SET_ASIDE')
            GROUP BY t.feed_account_id, t.booked_on
        ) sums;
        INSERT INTO line_day_sums (
            organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
        )
        SELECT books.organization_id, u.feed_account_id, u.day, sum(u.amount), sum(u.counted), sum(u.booked)
        FROM unnest(
            total.accounts, total.days, total.amounts, total.counts, total.booked
        ) AS u (feed_account_id, day, amount, counted, booked)
        GROUP BY u.feed_account_id, u.day
        ON CONFLICT (organization_id, feed_account_id, day)
        DO UPDATE SET amount_minor = line_day_sums.amount_minor + excluded.amount_minor,
            unreconciled_count = line_day_sums.unreconciled_count + excluded.unreconciled_count,
            booked_count = line_day_sums.booked_count + excluded.booked_count;
        INSERT INTO line_month_sums (
            organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
        )
        SELECT books.organization_id, u.feed_account_id, date_trunc('month', u.day)::date, sum(u.amount),
            sum(u.counted), sum(u.booked)
        FROM unnest(
            total.accounts, total.days, total.amounts, total.counts, total.booked
        ) AS u (feed_account_id, day, amount, counted, booked)
        GROUP BY u.feed_account_id, date_trunc('month', u.day)::date
        ON CONFLICT (organization_id, feed_account_id, day)
        DO UPDATE SET amount_minor = line_month_sums.amount_minor + excluded.amount_minor,
            unreconciled_count = line_month_sums.unreconciled_count + excluded.unreconciled_count,
            booked_count = line_month_sums.booked_count + excluded.booked_count;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER sums_of_line_update AFTER UPDATE ON transactions
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION sums_of_line_update();

CREATE FUNCTION sums_of_line_delete() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books record;
    total record;
BEGIN
    FOR books IN SELECT DISTINCT organization_id FROM old_rows LOOP
        SELECT array_agg(feed_account_id) AS accounts, array_agg(day) AS days, array_agg(amount) AS amounts,
            array_agg(counted) AS counts, array_agg(booked) AS booked
        INTO total
        FROM (
            SELECT t.feed_account_id, t.booked_on AS day, -sum(t.amount_minor) AS amount,
                -count(*) FILTER (WHERE t.status = 'BOOKED') AS counted,
                -count(*) FILTER (WHERE t.status = 'BOOKED') AS booked
            FROM old_rows t
            WHERE t.organization_id = books.organization_id AND t.status IN ('BOOKED', 'SET_ASIDE')
            GROUP BY t.feed_account_id, t.booked_on
        ) sums;
        INSERT INTO line_day_sums (
            organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
        )
        SELECT books.organization_id, u.feed_account_id, u.day, sum(u.amount), sum(u.counted), sum(u.booked)
        FROM unnest(
            total.accounts, total.days, total.amounts, total.counts, total.booked
        ) AS u (feed_account_id, day, amount, counted, booked)
        GROUP BY u.feed_account_id, u.day
        ON CONFLICT (organization_id, feed_account_id, day)
        DO UPDATE SET amount_minor = line_day_sums.amount_minor + excluded.amount_minor,
            unreconciled_count = line_day_sums.unreconciled_count + excluded.unreconciled_count,
            booked_count = line_day_sums.booked_count + excluded.booked_count;
        INSERT INTO line_month_sums (
            organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
        )
        SELECT books.organization_id, u.feed_account_id, date_trunc('month', u.day)::date, sum(u.amount),
            sum(u.counted), sum(u.booked)
        FROM unnest(
            total.accounts, total.days, total.amounts, total.counts, total.booked
        ) AS u (feed_account_id, day, amount, counted, booked)
        GROUP BY u.feed_account_id, date_trunc('month', u.day)::date
        ON CONFLICT (organization_id, feed_account_id, day)
        DO UPDATE SET amount_minor = line_month_sums.amount_minor + excluded.amount_minor,
            unreconciled_count = line_month_sums.unreconciled_count + excluded.unreconciled_count,
            booked_count = line_month_sums.booked_count + excluded.booked_count;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER sums_of_line_delete AFTER DELETE ON transactions REFERENCING OLD TABLE AS old_rows
FOR EACH STATEMENT EXECUTE FUNCTION sums_of_line_delete();

-- The lines of a bulk turn are added up once, at its end.
CREATE FUNCTION sums_of_bulk_turn() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books record;
    total record;
BEGIN
    SELECT array_agg(feed_account_id) AS accounts, array_agg(day) AS days, array_agg(amount) AS amounts,
        array_agg(counted) AS counts, array_agg(booked) AS booked
    INTO total
    FROM (
        SELECT t.feed_account_id, t.booked_on AS day, sum(t.amount_minor) AS amount,
            count(*) FILTER (WHERE t.status = 'BOOKED') AS counted,
            count(*) FILTER (WHERE t.status = 'BOOKED') AS booked
        FROM transactions t
        WHERE t.organization_id = OLD.organization_id AND t.import_id = OLD.import_id
            AND t.status IN ('BOOKED', 'SET_ASIDE')
        GROUP BY t.feed_account_id, t.booked_on
    ) sums;
    INSERT INTO line_day_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
    )
    SELECT OLD.organization_id, u.feed_account_id, u.day, sum(u.amount), sum(u.counted), sum(u.booked)
    FROM unnest(
        total.accounts, total.days, total.amounts, total.counts, total.booked
    ) AS u (feed_account_id, day, amount, counted, booked)
    GROUP BY u.feed_account_id, u.day
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET amount_minor = line_day_sums.amount_minor + excluded.amount_minor,
        unreconciled_count = line_day_sums.unreconciled_count + excluded.unreconciled_count,
        booked_count = line_day_sums.booked_count + excluded.booked_count;
    INSERT INTO line_month_sums (
        organization_id, feed_account_id, day, amount_minor, unreconciled_count, booked_count
    )
    SELECT OLD.organization_id, u.feed_account_id, date_trunc('month', u.day)::date, sum(u.amount),
        sum(u.counted), sum(u.booked)
    FROM unnest(
        total.accounts, total.days, total.amounts, total.counts, total.booked
    ) AS u (feed_account_id, day, amount, counted, booked)
    GROUP BY u.feed_account_id, date_trunc('month', u.day)::date
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET amount_minor = line_month_sums.amount_minor + excluded.amount_minor,
        unreconciled_count = line_month_sums.unreconciled_count + excluded.unreconciled_count,
        booked_count = line_month_sums.booked_count + excluded.booked_count;
    RETURN NULL;
END
$$;

CREATE TRIGGER sums_of_bulk_turn AFTER DELETE ON bulk_turns
FOR EACH ROW EXECUTE FUNCTION sums_of_bulk_turn();

CREATE FUNCTION sums_of_proof() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    total record;
BEGIN
    SELECT array_agg(feed_account_id) AS accounts, array_agg(day) AS days, array_agg(amount) AS amounts,
        array_agg(counted) AS counts
    INTO total
    FROM (
        SELECT t.feed_account_id, t.booked_on AS day, 0 AS amount,
            CASE NEW.status WHEN 'COMPLETED' THEN -count(*) ELSE count(*) END AS counted
        FROM reconciliation_items i
        JOIN transactions t ON t.organization_id = i.organization_id AND t.id = i.transaction_id
        WHERE i.organization_id = NEW.organization_id AND i.reconciliation_id = NEW.id AND t.status = 'BOOKED'
        GROUP BY t.feed_account_id, t.booked_on
    ) sums;
    INSERT INTO line_day_sums (organization_id, feed_account_id, day, amount_minor, unreconciled_count)
    SELECT NEW.organization_id, u.feed_account_id, u.day, sum(u.amount_minor), sum(u.unreconciled_count)
    FROM unnest(
        total.accounts, total.days, total.amounts, total.counts
    ) AS u (feed_account_id, day, amount_minor, unreconciled_count)
    GROUP BY u.feed_account_id, u.day
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET amount_minor = line_day_sums.amount_minor + excluded.amount_minor,
        unreconciled_count = line_day_sums.unreconciled_count + excluded.unreconciled_count;
    INSERT INTO line_month_sums (organization_id, feed_account_id, day, amount_minor, unreconciled_count)
    SELECT NEW.organization_id, u.feed_account_id, date_trunc('month', u.day)::date, sum(u.amount_minor),
        sum(u.unreconciled_count)
    FROM unnest(
        total.accounts, total.days, total.amounts, total.counts
    ) AS u (feed_account_id, day, amount_minor, unreconciled_count)
    GROUP BY u.feed_account_id, date_trunc('month', u.day)::date
    ON CONFLICT (organization_id, feed_account_id, day)
    DO UPDATE SET amount_minor = line_month_sums.amount_minor + excluded.amount_minor,
        unreconciled_count = line_month_sums.unreconciled_count + excluded.unreconciled_count;
    RETURN NULL;
END
$$;

CREATE TRIGGER sums_of_proof AFTER UPDATE ON reconciliations
FOR EACH ROW
WHEN (OLD.status <> NEW.status AND NEW.status IN ('COMPLETED', 'REOPENED'))
EXECUTE FUNCTION sums_of_proof();

-- Who may call such a function could hang it on a temporary table of his own, and write rows of any organization.
REVOKE ALL ON FUNCTION
    sums_of_posting, sums_of_line_insert, sums_of_line_update, sums_of_line_delete, sums_of_bulk_turn,
    sums_of_proof
FROM PUBLIC;
