"""What everyday use costs: the CPU that a command line call takes, as a multiple of saying the version.

Each part measures one thing and adds its figures and bars to the same report; ``benchmark`` lists the parts.
"""
