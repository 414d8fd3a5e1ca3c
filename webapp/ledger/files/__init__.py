"""Files: their kind by their bytes, their names, and XML within bounds."""
