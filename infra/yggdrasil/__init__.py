"""The composition root: the only place that wires real parts together, the `yggdrasil` command line and the facade.

It may import every other package, and no other package may import it.
"""
