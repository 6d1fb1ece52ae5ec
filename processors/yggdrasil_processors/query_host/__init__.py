"""The query host: folds partitions of the commands topic into stores of its own, and answers from them.

It knows no worker: what both of them do alike is beside the two rooms. Room for what whoever
answers needs of a topic.
"""

from .host import QueryHost
from .settings import HostSettings

__all__ = ["HostSettings", "QueryHost"]
