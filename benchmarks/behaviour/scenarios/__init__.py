"""The scenarios, a module each: what is told to a memory, and what it has shown. None knows how it is reported."""
