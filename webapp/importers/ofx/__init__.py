"""OFX 1 (SGML) and OFX 2 (XML): aggregates, statements and lines."""
