-- What a part of an item has of its tax never changes; the audit trail binds it, and tax rates.

CREATE FUNCTION tax_part_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'What a part has of a tax never changes; the next act posts the difference.'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER tax_part_fixed BEFORE UPDATE OR DELETE ON tax_parts FOR EACH ROW EXECUTE FUNCTION tax_part_fixed();

CREATE FUNCTION tax_part_noted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'tax_part', NEW.id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION tax_part_noted() FROM PUBLIC;

CREATE TRIGGER tax_part_noted AFTER INSERT ON tax_parts FOR EACH ROW EXECUTE FUNCTION tax_part_noted();

CREATE FUNCTION tax_rate_noted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'tax_rate', NEW.id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION tax_rate_noted() FROM PUBLIC;

CREATE TRIGGER tax_rate_noted AFTER INSERT OR UPDATE ON tax_rates
FOR EACH ROW EXECUTE FUNCTION tax_rate_noted();
