-- What kind a filed return is, and what it has looked at, never changes.

CREATE TRIGGER tax_return_kind_fixed BEFORE UPDATE ON tax_returns
FOR EACH ROW WHEN ((OLD.is_notice, OLD.last_number) IS DISTINCT FROM (NEW.is_notice, NEW.last_number))
EXECUTE FUNCTION tax_return_fixed();
