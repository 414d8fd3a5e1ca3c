-- Note an account whose tax code changed, which the audit trail binds.

CREATE TRIGGER accounts_tax_code_noted AFTER UPDATE OF tax_code_id ON accounts
WHEN OLD.tax_code_id IS NOT NEW.tax_code_id
BEGIN
    INSERT INTO written_rows (organization_id, kind, row_id) VALUES (NEW.organization_id, 'account', NEW.id)
    ON CONFLICT DO NOTHING;
END;
