"""The table of reads: all that a memory can be asked, in the order of the OpenAPI document.

The routes, the client and the facade follow from it. Where two paths fit a request, the first is meant.
"""

from typing import Any, Final

from .query import Query, Read
from .reads.episodic.episodes import EPISODE, EPISODES
from .reads.episodic.what_next import WHAT_NEXT
from .reads.episodic.working_memory import WORKING_MEMORY
from .reads.experience.described import BECAME, DESCRIBED
from .reads.experience.explain import EXPLANATION
from .reads.experience.happened import HAPPENED
from .reads.experience.mentions import MENTIONS
from .reads.experience.neighbourhood import NEIGHBOURHOOD
from .reads.experience.timeline import TIMELINE
from .reads.knowledge.claims import CLAIMS, ENTITY
from .reads.knowledge.conflicts import CONTRADICTIONS
from .reads.knowledge.digested import DIGESTION
from .reads.knowledge.history import HISTORY
from .reads.knowledge.lineage import DEPENDENTS, LINEAGE
from .reads.knowledge.rulings import RULINGS
from .reads.learning.drift import DRIFT
from .reads.learning.foretold import FORETELLING
from .reads.learning.searched import CONTEXT, SIMILAR_CASES
from .reads.operations.bias import BIAS
from .reads.operations.moment import MOMENT
from .reads.operations.overview import DIGEST, STATS
from .reads.operations.reported import REPORTED
from .reads.operations.said import SAID
from .reads.operations.scorers import SCORERS
from .reads.operations.standing import STANDING
from .reads.past.diff import DIFF
from .reads.past.snapshots import SNAPSHOTS
from .reads.perspectives.profile import PROFILE
from .reads.places.graph import GRAPH
from .reads.places.last_seen import LAST_SEEN
from .reads.places.nearest import NEAREST
from .reads.places.neighbours_of import NEIGHBOURS_OF
from .reads.places.places import PLACES
from .reads.places.route import ROUTE
from .reads.places.trades import TRADES
from .reads.sessions.context import SESSION
from .reads.sessions.decided import DECISIONS
from .reads.sessions.desk import DESK
from .reads.sessions.recovering import RECOVERIES
from .reads.sessions.registered import SESSIONS
from .reads.sessions.sayers import SAYERS

READS: Final[tuple[Read[Any], ...]] = (
    CONTEXT,
    SIMILAR_CASES,
    FORETELLING,
    BECAME,
    EXPLANATION,
    NEIGHBOURHOOD,
    DEPENDENTS,
    DESCRIBED,
    TIMELINE,
    HAPPENED,
    MENTIONS,
    DRIFT,
    BIAS,
    STATS,
    MOMENT,
    SNAPSHOTS,
    DIFF,
    DIGEST,
    WORKING_MEMORY,
    EPISODES,
    EPISODE,
    WHAT_NEXT,
    HISTORY,
    CONTRADICTIONS,
    RULINGS,
    CLAIMS,
    LINEAGE,
    NEIGHBOURS_OF,
    ENTITY,
    REPORTED,
    SCORERS,
    SAID,
    STANDING,
    DIGESTION,
    SESSIONS,
    SESSION,
    DESK,
    DECISIONS,
    SAYERS,
    RECOVERIES,
    PROFILE,
    NEAREST,
    PLACES,
    ROUTE,
    LAST_SEEN,
    TRADES,
    GRAPH,
)
OF: Final[dict[type[Query[Any]], Read[Any]]] = {read.query: read for read in READS}
"""The row of each query."""
