"""One suite per port, run on every part that claims to be one."""
