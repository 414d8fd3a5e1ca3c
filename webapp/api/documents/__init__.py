"""Documents over JSON, and tables of invoices."""
