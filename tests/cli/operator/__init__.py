"""The commands of who runs workers, services and topics."""
