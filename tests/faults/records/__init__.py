"""Records that are broken, or of a version that this release does not know."""
