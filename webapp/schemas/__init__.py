"""The schemas of requests and answers, shared by pages and API."""
