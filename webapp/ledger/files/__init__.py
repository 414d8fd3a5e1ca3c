"""Files as such: what kind their bytes are, their names, and XML within bounds."""
