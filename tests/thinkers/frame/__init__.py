"""The frame: what is decided takes effect once, whatever happens in between."""
