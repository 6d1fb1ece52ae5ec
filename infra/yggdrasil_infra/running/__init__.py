"""How the threads of one process run beside each other: now and then, by turns, and with the garbage collector."""
