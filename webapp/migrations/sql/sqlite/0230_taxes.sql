-- What tax codes compute and post never changes, nor what a part of an item has of its tax. A filed return changes once,
-- when it is withdrawn, and so does a stamp.

CREATE TRIGGER tax_code_fixed BEFORE UPDATE ON tax_codes
WHEN OLD.id IS NOT NEW.id OR OLD.organization_id IS NOT NEW.organization_id OR OLD.code IS NOT NEW.code
    OR OLD.side IS NOT NEW.side OR OLD.rate IS NOT NEW.rate OR OLD.basis IS NOT NEW.basis
    OR OLD.amount_is IS NOT NEW.amount_is OR OLD.is_self_assessed IS NOT NEW.is_self_assessed
    OR OLD.has_relief IS NOT NEW.has_relief OR OLD.pack IS NOT NEW.pack OR OLD.shares IS NOT NEW.shares
BEGIN
    SELECT RAISE(ABORT, 'What a tax code computes and posts never changes; make another code.');
END;

CREATE TRIGGER tax_code_kept BEFORE DELETE ON tax_codes
BEGIN
    SELECT RAISE(ABORT, 'A tax code is never deleted; archive it.');
END;

CREATE TRIGGER tax_return_fixed BEFORE UPDATE ON tax_returns
WHEN OLD.status <> 'FILED' OR NEW.status <> 'WITHDRAWN' OR OLD.id IS NOT NEW.id
    OR OLD.organization_id IS NOT NEW.organization_id OR OLD.form IS NOT NEW.form
    OR OLD.pack_version IS NOT NEW.pack_version OR OLD.starts_on IS NOT NEW.starts_on
    OR OLD.ends_on IS NOT NEW.ends_on OR OLD.figures IS NOT NEW.figures OR OLD.digest IS NOT NEW.digest
    OR OLD.reference IS NOT NEW.reference OR OLD.note IS NOT NEW.note OR OLD.filed_at IS NOT NEW.filed_at
    OR OLD.filed_by IS NOT NEW.filed_by OR OLD.journal_entry_id IS NOT NEW.journal_entry_id
    OR OLD.is_notice IS NOT NEW.is_notice OR OLD.last_number IS NOT NEW.last_number
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

CREATE TRIGGER tax_part_fixed BEFORE UPDATE ON tax_parts
BEGIN
    SELECT RAISE(ABORT, 'What a part has of a tax never changes; the next act posts the difference.');
END;

CREATE TRIGGER tax_part_kept BEFORE DELETE ON tax_parts
BEGIN
    SELECT RAISE(ABORT, 'What a part has of a tax never changes; the next act posts the difference.');
END;
