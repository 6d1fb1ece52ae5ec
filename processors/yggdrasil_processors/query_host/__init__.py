"""The query host: folds partitions of the commands topic into stores of its own, and answers from them."""

from .host import QueryHost
from .settings import HostSettings

__all__ = ["HostSettings", "QueryHost"]
