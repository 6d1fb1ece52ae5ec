"""The index: always what one made anew would be."""
