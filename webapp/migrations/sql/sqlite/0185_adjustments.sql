-- Why a posted entry adjusts boxes never changes, as all else of it.

CREATE TRIGGER entry_tax_reason_fixed BEFORE UPDATE ON journal_entries
WHEN OLD.status <> 'DRAFT' AND OLD.tax_reason IS NOT NEW.tax_reason
BEGIN
    SELECT RAISE(ABORT, 'A posted entry never changes; correct or void it.');
END;
