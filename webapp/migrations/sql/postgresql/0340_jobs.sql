-- How many jobs failed in all books, and not in which.
CREATE FUNCTION count_failed_jobs() RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    RETURN (SELECT count(*) FROM jobs j WHERE j.state = 'FAILED');
END
$$;

REVOKE ALL ON FUNCTION count_failed_jobs FROM PUBLIC;
