"""Reads beside the context: cases, what is foretold, an overview, a look after sleep."""
