"""Commands of the command line that run beside the daemon of their directory, where all they need is loaded.

A command takes a moment, and what it imports takes a second and a half. So a daemon has a process beside it, the
runner, which has imported that once. The command line hands it what was typed, with its own standard streams, and the
runner forks a child, which runs the command and is gone. Nothing is carried in between: what the child prints it prints
where the command line would have, and it speaks to the daemon through the socket as any other process does.

What is asked before anything else is imported is here for that reason: what was typed (``typed``), what the two say to
each other (``wire``), and who hands over (``handing``). Only a runner imports ``running``.
"""
