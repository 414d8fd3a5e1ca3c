-- Keep what tax codes compute and post, and note written codes and packs for the audit trail.

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

CREATE TRIGGER tax_codes_insert_noted AFTER INSERT ON tax_codes
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'tax_code', NEW.id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER tax_codes_update_noted AFTER UPDATE ON tax_codes
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'tax_code', NEW.id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER tax_packs_insert_noted AFTER INSERT ON tax_packs
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'tax_pack', NEW.id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER tax_packs_update_noted AFTER UPDATE ON tax_packs
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'tax_pack', NEW.id)
    ON CONFLICT DO NOTHING;
END;
