"""What appends: importers read real sources here, built anew for each test."""
