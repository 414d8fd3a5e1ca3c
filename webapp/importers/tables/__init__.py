"""CSV files and sheets: the roles of columns, and rows that are read exactly or refused."""
