-- The day of what a posted entry is about never changes, as all else of it.

CREATE TRIGGER entry_fact_fixed BEFORE UPDATE ON journal_entries
WHEN OLD.status <> 'DRAFT' AND (OLD.fact_on IS NOT NEW.fact_on OR OLD.is_moved IS NOT NEW.is_moved)
BEGIN
    SELECT RAISE(ABORT, 'A posted entry never changes; correct or void it.');
END;
