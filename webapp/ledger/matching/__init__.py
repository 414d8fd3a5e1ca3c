"""Identity of bank lines: keys, reports, and which of them are one."""
