-- What kind a filed return is, and what it has looked at, never changes.

CREATE TRIGGER tax_return_kind_fixed BEFORE UPDATE ON tax_returns
WHEN OLD.is_notice IS NOT NEW.is_notice OR OLD.last_number IS NOT NEW.last_number
BEGIN
    SELECT RAISE(ABORT, 'A filed return never changes; withdraw it.');
END;
