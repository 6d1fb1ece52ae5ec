"""Digestion: what is made of a session that has ended, once the reducer has taken claims from it (004, the pipeline).

A room for four thinkers that share how claims are compared and when a session has ended: the connector, the reweaver,
the verifier and the archivist. Each sees only what happened and what it asks, never what another one thought.
"""

from .archivist import Archivist
from .connector import Connector
from .reweaver import Reweaver
from .verifier import Verifier

__all__ = ["Archivist", "Connector", "Reweaver", "Verifier"]
