"""`tieout mcp`: the protocol for models over standard input and output, for clients that start a program."""
