"""CSV and tables of workbooks: which column means what, and each row read exactly or refused."""
