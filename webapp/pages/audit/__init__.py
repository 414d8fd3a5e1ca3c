"""Pages of what was done, what waits for approval, and the undo of a key."""
