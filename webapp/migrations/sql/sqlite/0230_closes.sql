-- A close that was approved changes once, when it is reopened.

CREATE TRIGGER close_fixed BEFORE UPDATE ON closes
WHEN OLD.status <> 'PREPARED' AND (
    OLD.status <> 'CLOSED' OR NEW.status <> 'REOPENED' OR OLD.id IS NOT NEW.id
    OR OLD.organization_id IS NOT NEW.organization_id OR OLD.period IS NOT NEW.period
    OR OLD.starts_on IS NOT NEW.starts_on OR OLD.ends_on IS NOT NEW.ends_on OR OLD.document IS NOT NEW.document
    OR OLD.digest IS NOT NEW.digest OR OLD.previous_id IS NOT NEW.previous_id
    OR OLD.approved_by IS NOT NEW.approved_by OR OLD.approved_at IS NOT NEW.approved_at
)
BEGIN
    SELECT RAISE(ABORT, 'A close never changes; reopen it.');
END;

CREATE TRIGGER close_kept BEFORE DELETE ON closes WHEN OLD.status <> 'PREPARED'
BEGIN
    SELECT RAISE(ABORT, 'A close never changes; reopen it.');
END;
