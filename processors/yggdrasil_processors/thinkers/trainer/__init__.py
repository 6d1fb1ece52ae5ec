"""The trainer: fits a scorer to what was really used, and proposes it where it is better (003, section 3.5).

What may come in: another form to fit, and another way to judge it; what a report teaches is in ``samples``.
"""

from .trainer import Trained, Trainer

__all__ = ["Trained", "Trainer"]
