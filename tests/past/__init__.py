"""The past of a memory: as it stood, compared, taken elsewhere, and as it never was."""
