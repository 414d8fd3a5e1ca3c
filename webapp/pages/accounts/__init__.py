"""Pages of the chart of accounts, merchants and projects."""
