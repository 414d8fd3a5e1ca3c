-- What a part of an item has of its tax never changes; the audit trail binds it, and tax rates.

CREATE TRIGGER tax_part_fixed BEFORE UPDATE ON tax_parts
BEGIN
    SELECT RAISE(ABORT, 'What a part has of a tax never changes; the next act posts the difference.');
END;

CREATE TRIGGER tax_part_kept BEFORE DELETE ON tax_parts
BEGIN
    SELECT RAISE(ABORT, 'What a part has of a tax never changes; the next act posts the difference.');
END;

CREATE TRIGGER tax_parts_insert_noted AFTER INSERT ON tax_parts
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'tax_part', NEW.id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER tax_rates_insert_noted AFTER INSERT ON tax_rates
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'tax_rate', NEW.id)
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER tax_rates_update_noted AFTER UPDATE ON tax_rates
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'tax_rate', NEW.id)
    ON CONFLICT DO NOTHING;
END;
