"""What is stored, one module per noun."""
