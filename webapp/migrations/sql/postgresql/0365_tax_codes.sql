-- Note an account whose tax code changed, which the audit trail binds.

CREATE TRIGGER accounts_tax_code_noted AFTER UPDATE OF tax_code_id ON accounts
FOR EACH ROW WHEN (OLD.tax_code_id IS DISTINCT FROM NEW.tax_code_id)
EXECUTE FUNCTION accounts_currency_noted();
