"""Tables with a record in each row: their layouts by headers or mappings, and their cells."""
