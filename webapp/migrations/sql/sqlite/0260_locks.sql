-- What let a posted entry into its day, and what it is for, never changes, as all else of it.

CREATE TRIGGER entry_permission_fixed BEFORE UPDATE ON journal_entries
WHEN OLD.status <> 'DRAFT' AND (
    OLD.is_adjusting IS NOT NEW.is_adjusting OR OLD.lock_exception_id IS NOT NEW.lock_exception_id
    OR OLD.appropriates_on IS NOT NEW.appropriates_on
)
BEGIN
    SELECT RAISE(ABORT, 'A posted entry never changes; correct or void it.');
END;

-- An exception is only ended, once.

CREATE TRIGGER lock_exception_fixed BEFORE UPDATE ON lock_exceptions
WHEN OLD.ended_at IS NOT NULL OR OLD.id IS NOT NEW.id OR OLD.organization_id IS NOT NEW.organization_id
    OR OLD.user_id IS NOT NEW.user_id OR OLD.starts_on IS NOT NEW.starts_on OR OLD.until IS NOT NEW.until
    OR OLD.note IS NOT NEW.note OR OLD.granted_by IS NOT NEW.granted_by
BEGIN
    SELECT RAISE(ABORT, 'An exception from the lock never changes; end it.');
END;

-- The lock of adjusting entries is part of what the audit trail binds.

CREATE TRIGGER organizations_adjustments_noted AFTER UPDATE OF adjustments_lock_date ON organizations
WHEN OLD.adjustments_lock_date IS NOT NEW.adjustments_lock_date
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.id, 'organization', 0)
    ON CONFLICT DO NOTHING;
END;
