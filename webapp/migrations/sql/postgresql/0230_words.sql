-- Find lines by the beginnings of their words, and documents by any part of their texts.

-- Of long texts only the beginnings: a word has at most 2,046 bytes. The high cost keeps every plan from calling the
-- function for each line of the books.
CREATE FUNCTION words_of_line(
    organization_id text, description text, counterparty text, reference text, iban text, amount_minor bigint
) RETURNS tsvector LANGUAGE plpgsql
IMMUTABLE PARALLEL SAFE COST 10000 AS $$
DECLARE
    words text := concat_ws(' ', left(description, 500), left(counterparty, 500), left(reference, 500), iban);
BEGIN
    IF octet_length(words) <> char_length(words) THEN
        words := regexp_replace(normalize(words, NFD), '[\u0300-\u036f]+', '', 'g');
    END IF;
    RETURN array_to_tsvector(
        array_remove(
            regexp_split_to_array(lower(words), '[^[:alnum:]]+') || ARRAY['$' || abs(amount_minor),
            '#' || organization_id], ''
        )
    );
END
$$;

-- New words wait in a list that each search reads whole: a short one.
CREATE INDEX ix_transactions_words ON transactions USING gin (
    words_of_line(organization_id, description, counterparty, reference, iban, amount_minor)
) WITH (gin_pending_list_limit = 1024);

-- Statistics of words would cost a call for each line of the sample, and lead to plans without the index.
ALTER INDEX ix_transactions_words ALTER COLUMN 1 SET STATISTICS 0;

CREATE FUNCTION lines_with_words(wanted tsquery, most integer) RETURNS SETOF bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books text := current_setting('tieout.organization', true);
BEGIN
    RETURN QUERY
    SELECT t.id
    FROM transactions t
    WHERE t.organization_id = books
        AND words_of_line(
            t.organization_id, t.description, t.counterparty, t.reference, t.iban, t.amount_minor
        ) @@ wanted
    ORDER BY t.booked_on DESC, t.id DESC LIMIT most;
END
$$;

-- Three letters are one number here, which those of few alphabets share: the caller looks at what is found. The organization
-- is a number too, below zero, so that no other organization's documents are read. The high cost is as above.
CREATE FUNCTION keys_of_document(
    organization_id text, number text, sender text, file_name text, words text, net bigint, tax bigint, total bigint
) RETURNS integer[] LANGUAGE plpgsql
IMMUTABLE PARALLEL SAFE COST 10000 AS $$
DECLARE
    mark text := chr(57345);
    whole text := concat_ws(
        chr(10), number, sender, file_name, words, mark || abs(net) || mark, mark || abs(tax) || mark,
        mark || abs(total) || mark
    );
    letter text;
    first bigint;
    second bigint;
    third bigint;
    keys integer[] := ARRAY[-1 - (('x' || substr(md5(organization_id), 1, 8))::bit(32)::integer & 2147483647)];
BEGIN
    FOREACH letter IN ARRAY string_to_array(lower(whole), NULL) LOOP
        first := second;
        second := third;
        third := ascii(letter);
        IF first IS NOT NULL THEN
            keys := keys || mod(first * 1048576 + second * 1024 + third, 2147483647)::integer;
        END IF;
    END LOOP;
    RETURN keys;
END
$$;

CREATE INDEX ix_documents_texts ON documents USING gin (
    keys_of_document(organization_id, number, sender, file_name, text, net_minor, tax_minor, total_minor)
) WITH (gin_pending_list_limit = 1024);

ALTER INDEX ix_documents_texts ALTER COLUMN 1 SET STATISTICS 0;

-- Row-level security lets no index answer @>, which may tell of rows that it looks at in vain: the owner asks it.
CREATE FUNCTION documents_with(wanted text[]) RETURNS SETOF bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    books text := current_setting('tieout.organization', true);
    each text;
    keys integer[];
BEGIN
    FOREACH each IN ARRAY wanted LOOP
        keys := keys_of_document(books, each, NULL, NULL, NULL, NULL, NULL, NULL);
        RETURN QUERY
        SELECT d.id
        FROM documents d
        WHERE d.organization_id = books
            AND keys_of_document(
                d.organization_id, d.number, d.sender, d.file_name, d.text, d.net_minor, d.tax_minor,
                d.total_minor
            ) @> keys;
    END LOOP;
END
$$;

REVOKE ALL ON FUNCTION
    lines_with_words, documents_with
FROM PUBLIC;
