"""What `benchmarks.served` is made of: the books, the servers, the client, and the rows of its table."""
