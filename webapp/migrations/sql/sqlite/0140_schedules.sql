-- The schedule of a posted entry never changes, as all else of it.

CREATE TRIGGER entry_schedule_fixed BEFORE UPDATE ON journal_entries
WHEN OLD.status <> 'DRAFT' AND OLD.schedule_id IS NOT NEW.schedule_id
BEGIN
    SELECT RAISE(ABORT, 'A posted entry never changes; correct or void it.');
END;
