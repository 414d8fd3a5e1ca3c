-- The lines of a bulk turn are counted once, at its end, each by the key of its entry: while many lines come in, a plan of
-- both tables rests on what they had before, and may go through all of one for each row of the other.

CREATE OR REPLACE FUNCTION unconfirmed_of_bulk_turn() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    total record;
BEGIN
    SELECT array_agg(feed_account_id) AS accounts, array_agg(day) AS days, array_agg(lines) AS lines
    INTO total
    FROM (
        SELECT t.feed_account_id, date_trunc('month', t.booked_on)::date AS day, count(*) AS lines
        FROM transactions t
        WHERE t.organization_id = OLD.organization_id AND t.import_id = OLD.import_id AND t.status = 'BOOKED'
            AND 'DRAFT' = (
                SELECT e.status FROM journal_entries e
                WHERE e.organization_id = t.organization_id AND e.id = t.journal_entry_id
            )
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
