"""The commands of who checks: replay and prove."""
