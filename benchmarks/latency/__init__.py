"""How long an answer takes."""
