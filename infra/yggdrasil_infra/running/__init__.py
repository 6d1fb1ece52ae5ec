"""How the threads of one process run beside each other: now and then, by turns, and with the garbage collector.

Room for what else threads share. What is done on such a thread is its owner's, and none of it is known here.
"""
