"""What the technical parts promise beyond their ports."""
