"""What goes wrong, on purpose: in files, in records, in brokers and in workers."""
