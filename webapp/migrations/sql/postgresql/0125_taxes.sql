-- Keep what tax codes compute and post, and note written codes and packs for the audit trail.

CREATE FUNCTION tax_code_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'What a tax code computes and posts never changes; make another code.'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER tax_code_fixed BEFORE UPDATE ON tax_codes
FOR EACH ROW WHEN (
    (OLD.id, OLD.organization_id, OLD.code, OLD.side, OLD.rate, OLD.basis, OLD.amount_is, OLD.is_self_assessed,
        OLD.has_relief, OLD.pack, OLD.shares::text)
    IS DISTINCT FROM
    (NEW.id, NEW.organization_id, NEW.code, NEW.side, NEW.rate, NEW.basis, NEW.amount_is, NEW.is_self_assessed,
        NEW.has_relief, NEW.pack, NEW.shares::text)
)
EXECUTE FUNCTION tax_code_fixed();

CREATE FUNCTION tax_code_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A tax code is never deleted; archive it.' USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER tax_code_kept BEFORE DELETE ON tax_codes FOR EACH ROW EXECUTE FUNCTION tax_code_kept();

CREATE FUNCTION tax_code_noted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'tax_code', NEW.id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION tax_code_noted() FROM PUBLIC;

CREATE TRIGGER tax_code_noted AFTER INSERT OR UPDATE ON tax_codes FOR EACH ROW EXECUTE FUNCTION tax_code_noted();

CREATE FUNCTION tax_pack_noted() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'tax_pack', NEW.id)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION tax_pack_noted() FROM PUBLIC;

CREATE TRIGGER tax_pack_noted AFTER INSERT OR UPDATE ON tax_packs FOR EACH ROW EXECUTE FUNCTION tax_pack_noted();
