"""QIF: records of accounts, whose date order and decimal mark are found from the file."""
