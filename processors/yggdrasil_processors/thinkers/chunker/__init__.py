"""The episode chunker: a thinker that sees where one experience ends and another begins (000, section 6).

One file for each kind of reason: cues, likeness of what is said, patterns. What decides is ``chunker.py``; what it
remembers is ``state.py``, and what an episode says of itself ``summary.py``. Room for another trigger.
"""

from .chunker import Chunker

__all__ = ["Chunker"]
