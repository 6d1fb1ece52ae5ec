"""The graph worker: a member of a consumer group that folds partitions of the commands topic into their stores.

It answers no question and knows no index; the query host, which does, is its sibling and a stranger to it.
"""

from .settings import WorkerSettings
from .worker import GraphWorker

__all__ = ["GraphWorker", "WorkerSettings"]
