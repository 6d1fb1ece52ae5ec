"""A toy subject, added to a copy of the packages: what a new command, a new read and a new problem cost in files."""
