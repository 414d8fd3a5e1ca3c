"""Pages of documents, and of tables of invoices."""
