-- Note the lines that are inserted, for the event of the act that binds them.

CREATE TRIGGER transactions_insert_noted AFTER INSERT ON transactions
WHEN NEW.status IN ('BOOKED', 'SET_ASIDE', 'REMOVED')
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'line', NEW.id)
    ON CONFLICT DO NOTHING;
END;
