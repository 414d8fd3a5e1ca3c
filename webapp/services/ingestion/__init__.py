"""Bank lines on their way in: mirrored, asked of rules, staged, written in bulk."""
