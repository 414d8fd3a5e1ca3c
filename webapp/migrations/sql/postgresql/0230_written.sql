-- Note the lines that a statement inserts at once, for the event of the act that binds them.

CREATE FUNCTION transactions_insert_noted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books record;
BEGIN
    FOR books IN
        SELECT organization_id, array_agg(id) AS lines
        FROM new_rows
        WHERE status IN ('BOOKED', 'SET_ASIDE', 'REMOVED')
        GROUP BY organization_id
    LOOP
        INSERT INTO written_rows (organization_id, kind, row_id)
        SELECT books.organization_id, 'line', u.id FROM unnest(books.lines) AS u (id)
        ON CONFLICT DO NOTHING;
    END LOOP;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION transactions_insert_noted() FROM PUBLIC;

CREATE TRIGGER transactions_insert_noted AFTER INSERT ON transactions REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION transactions_insert_noted();
