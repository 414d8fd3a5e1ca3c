-- Find lines by the beginnings of their words, and documents by any part of their texts.

-- No bank's text has the two private characters: one stands before an amount, one before an organization.
CREATE VIRTUAL TABLE line_words USING fts5(
    words, tokenize='unicode61 remove_diacritics 2', detail=none, content='', columnsize=0
);

-- Lines come in bulk and are indexed so, by services/storage/line_words.py: one by one it takes five times as long.
CREATE TRIGGER words_of_line_update AFTER UPDATE OF description, counterparty, reference, iban,
    amount_minor ON transactions
WHEN OLD.description IS NOT NEW.description OR OLD.counterparty IS NOT NEW.counterparty
    OR OLD.reference IS NOT NEW.reference OR OLD.iban IS NOT NEW.iban
    OR OLD.amount_minor IS NOT NEW.amount_minor
BEGIN
    INSERT INTO line_words (line_words, rowid, words)
    VALUES (
        'delete', OLD.id,
        OLD.description || ' ' || coalesce(OLD.counterparty, '') || ' ' || coalesce(OLD.reference, '') || ' '
        || coalesce(OLD.iban, '') || ' ' || char(57345) || abs(OLD.amount_minor) || ' ' || char(57344)
        || replace(OLD.organization_id, '_', '')
    );
    INSERT INTO line_words (rowid, words)
    VALUES (
        NEW.id,
        NEW.description || ' ' || coalesce(NEW.counterparty, '') || ' ' || coalesce(NEW.reference, '') || ' '
        || coalesce(NEW.iban, '') || ' ' || char(57345) || abs(NEW.amount_minor) || ' ' || char(57344)
        || replace(NEW.organization_id, '_', '')
    );
END;

CREATE TRIGGER words_of_line_delete AFTER DELETE ON transactions
BEGIN
    INSERT INTO line_words (line_words, rowid, words)
    VALUES (
        'delete', OLD.id,
        OLD.description || ' ' || coalesce(OLD.counterparty, '') || ' ' || coalesce(OLD.reference, '') || ' '
        || coalesce(OLD.iban, '') || ' ' || char(57345) || abs(OLD.amount_minor) || ' ' || char(57344)
        || replace(OLD.organization_id, '_', '')
    );
END;

-- The end of a line keeps the end of one column apart from the beginning of the next.
CREATE VIRTUAL TABLE document_texts USING fts5(
    texts, tokenize='trigram', detail=none, content='', columnsize=0
);

CREATE TRIGGER texts_of_document_insert AFTER INSERT ON documents
BEGIN
    INSERT INTO document_texts (rowid, texts)
    VALUES (
        NEW.id,
        coalesce(NEW.number, '') || char(10) || coalesce(NEW.sender, '') || char(10)
        || coalesce(NEW.file_name, '') || char(10) || coalesce(NEW.text, '') || char(10)
        || coalesce(char(57345) || abs(NEW.net_minor) || char(57345), '') || char(10)
        || coalesce(char(57345) || abs(NEW.tax_minor) || char(57345), '') || char(10)
        || coalesce(char(57345) || abs(NEW.total_minor) || char(57345), '')
    );
END;

CREATE TRIGGER texts_of_document_update AFTER UPDATE OF number, sender, file_name, text, net_minor, tax_minor,
    total_minor ON documents
WHEN OLD.number IS NOT NEW.number OR OLD.sender IS NOT NEW.sender OR OLD.file_name IS NOT NEW.file_name
    OR OLD.text IS NOT NEW.text OR OLD.net_minor IS NOT NEW.net_minor OR OLD.tax_minor IS NOT NEW.tax_minor
    OR OLD.total_minor IS NOT NEW.total_minor
BEGIN
    INSERT INTO document_texts (document_texts, rowid, texts)
    VALUES (
        'delete', OLD.id,
        coalesce(OLD.number, '') || char(10) || coalesce(OLD.sender, '') || char(10)
        || coalesce(OLD.file_name, '') || char(10) || coalesce(OLD.text, '') || char(10)
        || coalesce(char(57345) || abs(OLD.net_minor) || char(57345), '') || char(10)
        || coalesce(char(57345) || abs(OLD.tax_minor) || char(57345), '') || char(10)
        || coalesce(char(57345) || abs(OLD.total_minor) || char(57345), '')
    );
    INSERT INTO document_texts (rowid, texts)
    VALUES (
        NEW.id,
        coalesce(NEW.number, '') || char(10) || coalesce(NEW.sender, '') || char(10)
        || coalesce(NEW.file_name, '') || char(10) || coalesce(NEW.text, '') || char(10)
        || coalesce(char(57345) || abs(NEW.net_minor) || char(57345), '') || char(10)
        || coalesce(char(57345) || abs(NEW.tax_minor) || char(57345), '') || char(10)
        || coalesce(char(57345) || abs(NEW.total_minor) || char(57345), '')
    );
END;

CREATE TRIGGER texts_of_document_delete AFTER DELETE ON documents
BEGIN
    INSERT INTO document_texts (document_texts, rowid, texts)
    VALUES (
        'delete', OLD.id,
        coalesce(OLD.number, '') || char(10) || coalesce(OLD.sender, '') || char(10)
        || coalesce(OLD.file_name, '') || char(10) || coalesce(OLD.text, '') || char(10)
        || coalesce(char(57345) || abs(OLD.net_minor) || char(57345), '') || char(10)
        || coalesce(char(57345) || abs(OLD.tax_minor) || char(57345), '') || char(10)
        || coalesce(char(57345) || abs(OLD.total_minor) || char(57345), '')
    );
END;
