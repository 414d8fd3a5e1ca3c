-- The application may ask how many proofs are broken in all books, and not in which.

CREATE FUNCTION count_broken_proofs() RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN (SELECT count(*) FROM proof_breaks b WHERE b.repaired_at IS NULL);
END
$$;

REVOKE ALL ON FUNCTION count_broken_proofs FROM PUBLIC;
