-- What tax codes compute and post never changes, nor what a part of an item has of its tax. A filed return changes once,
-- when it is withdrawn, and so does a stamp.

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

CREATE FUNCTION tax_return_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A filed return never changes; withdraw it.' USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER tax_return_fixed BEFORE UPDATE ON tax_returns
FOR EACH ROW WHEN (
    OLD.status <> 'FILED' OR NEW.status <> 'WITHDRAWN'
    OR (OLD.id, OLD.organization_id, OLD.form, OLD.pack_version, OLD.starts_on, OLD.ends_on, OLD.figures::text,
        OLD.digest, OLD.reference, OLD.note, OLD.filed_at, OLD.filed_by::text, OLD.journal_entry_id,
        OLD.is_notice, OLD.last_number)
    IS DISTINCT FROM
    (NEW.id, NEW.organization_id, NEW.form, NEW.pack_version, NEW.starts_on, NEW.ends_on, NEW.figures::text,
        NEW.digest, NEW.reference, NEW.note, NEW.filed_at, NEW.filed_by::text, NEW.journal_entry_id,
        NEW.is_notice, NEW.last_number)
)
EXECUTE FUNCTION tax_return_fixed();

CREATE TRIGGER tax_return_kept BEFORE DELETE ON tax_returns FOR EACH ROW EXECUTE FUNCTION tax_return_fixed();

CREATE FUNCTION tax_stamp_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'A stamp ends once, and never changes otherwise.'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER tax_stamp_fixed BEFORE UPDATE ON tax_stamps
FOR EACH ROW WHEN (
    OLD.ended_at IS NOT NULL OR NEW.ended_at IS NULL
    OR (OLD.id, OLD.organization_id, OLD.return_id, OLD.posting_id, OLD.form)
    IS DISTINCT FROM (NEW.id, NEW.organization_id, NEW.return_id, NEW.posting_id, NEW.form)
)
EXECUTE FUNCTION tax_stamp_fixed();

CREATE TRIGGER tax_stamp_kept BEFORE DELETE ON tax_stamps FOR EACH ROW EXECUTE FUNCTION tax_stamp_fixed();

CREATE FUNCTION tax_part_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'What a part has of a tax never changes; the next act posts the difference.'
        USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER tax_part_fixed BEFORE UPDATE OR DELETE ON tax_parts FOR EACH ROW EXECUTE FUNCTION tax_part_fixed();
