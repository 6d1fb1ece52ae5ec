"""The graph worker: a member of a consumer group that folds partitions of the commands topic into their stores."""

from .settings import WorkerSettings
from .worker import GraphWorker

__all__ = ["GraphWorker", "WorkerSettings"]
