"""Action requests and the undo of a key over JSON."""
