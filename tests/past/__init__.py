"""The past of one memory: archives, and what is built, compared and tried of it."""
