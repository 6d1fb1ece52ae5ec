"""One process over one directory: killed, out of space, damaged, copied."""
