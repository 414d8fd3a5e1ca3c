-- A filed return changes once, when it is withdrawn, and so does a stamp; the audit trail binds what was filed.

CREATE TRIGGER tax_return_fixed BEFORE UPDATE ON tax_returns
WHEN OLD.status <> 'FILED' OR NEW.status <> 'WITHDRAWN' OR OLD.id IS NOT NEW.id
    OR OLD.organization_id IS NOT NEW.organization_id OR OLD.form IS NOT NEW.form
    OR OLD.pack_version IS NOT NEW.pack_version OR OLD.starts_on IS NOT NEW.starts_on
    OR OLD.ends_on IS NOT NEW.ends_on OR OLD.figures IS NOT NEW.figures OR OLD.digest IS NOT NEW.digest
    OR OLD.reference IS NOT NEW.reference OR OLD.note IS NOT NEW.note OR OLD.filed_at IS NOT NEW.filed_at
    OR OLD.filed_by IS NOT NEW.filed_by OR OLD.journal_entry_id IS NOT NEW.journal_entry_id
BEGIN
    SELECT RAISE(ABORT, 'A filed return never changes; withdraw it.');
END;

CREATE TRIGGER tax_return_kept BEFORE DELETE ON tax_returns
BEGIN
    SELECT RAISE(ABORT, 'A filed return never changes; withdraw it.');
END;

CREATE TRIGGER tax_stamp_fixed BEFORE UPDATE ON tax_stamps
WHEN OLD.ended_at IS NOT NULL OR NEW.ended_at IS NULL OR OLD.id IS NOT NEW.id
    OR OLD.organization_id IS NOT NEW.organization_id OR OLD.return_id IS NOT NEW.return_id
    OR OLD.posting_id IS NOT NEW.posting_id OR OLD.form IS NOT NEW.form
BEGIN
    SELECT RAISE(ABORT, 'A stamp ends once, and never changes otherwise.');
END;

CREATE TRIGGER tax_stamp_kept BEFORE DELETE ON tax_stamps
BEGIN
    SELECT RAISE(ABORT, 'A stamp ends once, and never changes otherwise.');
END;

CREATE TRIGGER tax_returns_insert_noted AFTER INSERT ON tax_returns
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'tax_return', NEW.id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER tax_returns_update_noted AFTER UPDATE ON tax_returns
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'tax_return', NEW.id)
    ON CONFLICT DO NOTHING;
END;
