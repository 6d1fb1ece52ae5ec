"""The commands of who remembers and asks."""
