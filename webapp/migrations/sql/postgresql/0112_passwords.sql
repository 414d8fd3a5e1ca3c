-- The application may write the hash of a password, and ask for that of one address; it may read no column of them.

CREATE FUNCTION password_hash_of(address text) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN (SELECT u.password_hash FROM users u WHERE u.email = address);
END
$$;

REVOKE ALL ON FUNCTION password_hash_of FROM PUBLIC;
