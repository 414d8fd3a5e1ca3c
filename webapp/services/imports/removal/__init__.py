"""Taking an import back: its lines released to other files, pending lines, and accounts that nothing uses any more."""
