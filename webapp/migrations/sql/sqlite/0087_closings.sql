-- Whether a posted entry closes a year never changes, as all else of it.

CREATE TRIGGER entry_closing_fixed BEFORE UPDATE ON journal_entries
WHEN OLD.status <> 'DRAFT' AND OLD.is_closing IS NOT NEW.is_closing
BEGIN
    SELECT RAISE(ABORT, 'A posted entry never changes; correct or void it.');
END;
