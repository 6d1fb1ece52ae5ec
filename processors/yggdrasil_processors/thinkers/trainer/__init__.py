"""The trainer: fits a scorer to what was really used, and proposes it where it is better (003, section 3.5)."""

from .trainer import Trained, Trainer

__all__ = ["Trained", "Trainer"]
