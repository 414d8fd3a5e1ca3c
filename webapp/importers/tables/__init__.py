"""CSV files and sheets of workbooks: the roles of columns, and rows that are read exactly or refused."""
