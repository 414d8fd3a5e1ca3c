"""Small tools of the web side."""
