"""The laws of what stands, by hand."""
