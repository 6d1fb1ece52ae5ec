"""Workers that are killed, held or failed at a certain step, and what is done to their topic and broker."""
