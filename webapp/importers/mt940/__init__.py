"""MT940 and MT942 of SWIFT: fields, statement lines and their texts."""
