"""Pages of activity, proposals, and the undo of a key's acts."""
