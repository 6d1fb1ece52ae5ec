"""The rankers by name, with all their numbers. Other numbers get another name, so that answers can be proved."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Final, NamedTuple

from yggdrasil_infra.plugins import is_plugin

from ..text.passages import LONG_CHARS
from .own.ranker import OwnRanker
from .scoring.adopted import JOINT
from .scoring.scorers import Network


class Calibration(NamedTuple):
    """How a model's cosines go into the confidence: ``window`` for the words, ``slope`` for each unit above ``centre``.

    Models differ in where the cosines of what is alike and of what is not lie. With these, a confidence of 0.2 means
    the same with each of them: of a memory's own questions about 1 % are below it (docs/recall.md).
    """

    window: float
    slope: float
    centre: float


_UNKNOWN: Final = Calibration(0.6, 1.9, 0.3)  # a guess; of models whose cosines are all high, all are close enough
_CALIBRATIONS: Final[Mapping[str, Calibration]] = {  # by what a model's name begins with
    "all-MiniLM-L6-v2": Calibration(0.6, 1.92, 0.42),
    "e5-small-v2": Calibration(0.6, 6.6, 0.786),
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """The numbers of one version of the ranker. Other numbers are another version."""

    feature: float = 1.6  # it has what the question names
    feature_cover: float = 1.5  # ... times how much of the question it covers alone
    cover: float = 1.0  # how much of the question it covers alone
    window: float = 5.0  # ... and together with its neighbours
    decay: tuple[float, ...] = (0.9, 0.7, 0.5, 0.3)  # what a neighbour so many events away counts
    session: float = 1.0  # BM25 of its session, times the number of terms beyond two
    terms_few: int = 2  # with so few terms a session says nothing
    terms_full: int = 6
    k1: float = 1.2
    b: float = 0.5
    answer: float = 2.5  # how much of the question the event before it covers, if that asks something
    asks: float = -0.6  # it asks something itself
    date: float = 3.7  # month, year and day that the question names
    dense: float = 0.7  # the cosine, in standard deviations above the mean
    dense_session: float = 0.55  # the greatest such in its session
    dense_few: float = 16.0  # of so few vectors the mean and the deviation say half as much
    dense_least: float = 0.5  # from here on alike by meaning alone
    dense_benefit: float = (
        0.0  # of so few that none can stand out each gains as much, times the square of what is lacking
    )
    dense_alone_max: int = 512  # documents that are looked at for that
    name_share: float = 0.1
    name_documents_min: int = 16
    candidates_max: int = 200
    case: float = 0.25  # how much of the question a similar situation covers alone, unless it is close by meaning
    again_terms_max: int = 16  # of what was found, for the second search
    cosines: int = 5  # the best ones, of which the mean counts for the confidence
    cosines_of: int = 32  # of a memory with so few vectors only the best: all others may be about something else
    calibrations: Mapping[str, Calibration] = field(default_factory=lambda: _CALIBRATIONS)
    calibration: Calibration = _UNKNOWN
    sure_documents: float = 100.0  # in a memory of no more documents than this, words that it does not know say little
    gap_window: float = 0.5  # how much of the question is covered together with the neighbours; the rest is alone
    gap_dense: float = 0.05
    gap_few: float = 2.0  # of a question with so few terms the gap counts half
    spread: float = 0.3  # of the activation that a hit passes on (000, section 4, conceptual density)
    # Stage two, the composite score (003, section 3.5): similarity, at most 1, leads.
    salience: float = 0.05
    permanence: float = 0.05
    impact: float = 0.025
    misled: float = 0.025  # instead of that, for what using it has been worth if that is less than nothing
    usage: float = 0.025  # of uses per offer
    trusted: float = 0.0  # for each tier of trust above an agent's
    recency: float = 0.01
    recent_commands: float = 1_000.0  # what is so many commands old is half as recent
    alike: float = 0.8  # Jaccard index of words from which on two memories say the same
    close: float = 0.985  # ... and the cosine
    tokenizer: str = "english/1"  # makes the terms of texts and questions
    overhead: float = 32.0  # tokens that each memory costs beside its text, for the value per token
    # Of who asks under perspectives (003, sections 3.4 and 3.5), and no version of the ranker: their keys, their words.
    under: tuple[bytes, ...] = ()
    keywords: tuple[str, ...] = ()
    expansion: float = 0.8  # what is found by the keywords as well as the question counts so much of its relevance
    fit: float = 0.02  # something is kept of it under one of them, times the share of its uses that were
    keyed: float = 0.01  # ... and it has a keyword of one

    @property
    def under_scale(self) -> float:
        """What strength counts of whoever asks under perspectives: all of it together, with what these add, is less
        than a tier of trust, so that nobody stands before who is trusted more by what was used.
        """
        most = self.salience + self.permanence + self.impact + self.usage + self.fit + self.keyed
        return min(1.0, (self.trusted - self.recency) / most) if self.trusted > self.recency else 1.0

    def calibrated(self, model: str) -> Calibration:
        """Return how the cosines of a model are taken."""
        found = (each for name, each in self.calibrations.items() if model.startswith(name))
        return next(found, self.calibration)


@dataclass(frozen=True, slots=True)
class Fused(Recipe):
    """The numbers of ``hybrid/2``: its first stage has its own, and what it shares with the second is lighter.

    Chosen on twenty shapes of memory with whole shapes left out (docs/recall.md); near these values little changes.
    """

    tokenizer: str = "unicode/1"
    saturation: float = 1.2  # BM25's k1
    length: float = 0.75  # BM25's b
    dense_few: float = 6.0
    dense_least: float = 0.0
    dense_benefit: float = 1.0
    doubt: float = 1.5  # words that cover so much of a question count half, beside vectors
    meaning: float = 0.28  # a cosine, in standard deviations above the mean
    reliable_from: float = (
        0.45  # deviations by which what is alike by words is nearer: so few, and cosines tell little,
    )
    reliable_within: float = 0.35  # ... so many more, and they tell all that they may,
    reliable_least: float = 0.1  # ... and never nothing
    reliable_alike: float = 0.38  # where any two documents have such a cosine, and more,
    reliable_alike_within: float = 0.1
    reliable_alike_more: float = 0.4  # ... it has to be by so many deviations more
    reliable_few: float = 50.0  # of so few documents as much is told by how far the closest stands out,
    reliable_beyond: float = 1.3  # ... which is enough from so many deviations beyond chance on
    around: float = 0.5  # what neighbours cover beside it, in a memory whose neighbours belong together
    around_meaning: float = 0.1  # how much nearer by meaning a neighbour is than it
    replied: float = 0.4  # how much of the question the event before it covers, if that asks something
    asking: float = 0.1  # it asks something itself
    name: float = 0.2  # it has a feature that the question names, ...
    name_rare: float = 0.6  # ... times how rare that is
    name_cover: float = 0.3  # ... times how much of the question it covers
    day: float = 0.4  # month, year and day that the question names, more than others have of them
    terms_enough: int = 8  # without vectors: as much as anybody may ask for in one place
    most: float = 4.0  # what a document can hardly surpass, with vectors
    half: float = 0.13  # what is half relevant, where cosines tell nothing
    falls: float = 0.42  # an answer ends with what has less than such a share of the best's relevance, ...
    falls_untold: float = 0.3  # ... such a one where cosines tell nothing, so that it says less, ...
    falls_clearly: float = 0.12  # ... and so much less of it at least
    close_falls_late: float = 0.5  # one that is asked for closely, sooner, ...
    close_falls: float = 0.9  # ... and so soon in a small memory, ...
    close_clearly: float = 0.06
    close_up_to: float = 64.0  # ... of so many documents,
    close_until: float = 256.0  # ... and of so many as any other
    close_bare: float = 0.5  # beside what has the same of what is named, without that: half of it is enough
    close_places: int = 24  # hits that are looked at
    close_further: bool = False  # ... and beyond them, those that are as near as the best
    close_other: float = 0.5  # of something else that is asked, the first with so much of the best's relevance is there
    close_covered: float = 0.4  # ... if those before it say so much of the question, in words,
    close_more: float = 0.12  # ... and it so much that they do not,
    close_left: float = 0.4  # ... of what they leave
    sure_covered: float = 1.25  # without vectors: of how much of a question is said in one place
    sure_slope: float = 2.0  # with them, for each deviation beyond what the nearest of a document has
    sure_shift: float = -1.1
    sure_apart: float = 0.25  # by how much the closest stands out of all counts so; the rest, how close it is
    sure_few: float = 1.0  # what a single word may be farther away, for it says little; less for each more
    asked_otherwise: tuple[str, ...] = ("e5-", "multilingual-e5-")  # models that embed questions and texts differently,
    asked_apart: float = 1.0  # ... so that these are apart: more than so many deviations are taken for that,
    asked_doubt: float = -1.0  # ... and little is told by how far
    written_apart: float = 1.4  # what is written all alike is nearer to itself than any question is; of any model
    small: float = 16.0  # documents; of so few the pairs tell little of what is usual,
    small_doubt: float = 1.5  # ... and a quarter of this is taken off; more of fewer
    nearest_most: float = 2.3  # of a memory whose documents are all in pairs no more is wanted of a question
    asked_again: bool = True  # what asks the question itself, and says no more, may answer it
    accents: bool = False  # whether a word that is not known finds what an accent alone tells from it
    shown_alone: bool = False  # whether dates and names of what is not shown say nothing: not how sure an answer is
    once: bool = False  # whether of what says the same one stands for all
    lifts_above: bool = True  # whether a hit may lift another above itself: of two equals, the other then stands first
    gap_elsewhere: float = 0.6  # of what is asked about what is named, said elsewhere alone
    salience: float = 0.025
    permanence: float = 0.025
    impact: float = 0.0125
    misled: float = 0.0125
    usage: float = 0.0125
    recency: float = 0.005


@dataclass(frozen=True, slots=True)
class Distinguishing(Fused):
    """The numbers of ``hybrid/3``: those of ``hybrid/2``, with what two memories say told apart by their texts.

    What is near enough is looked for beyond the first hits, so that an answer can say how much there is. A word that
    the memory does not know finds those that an accent alone tells from it. What only asks the question is no answer.
    """

    accents: bool = True
    close_further: bool = True
    asked_again: bool = False
    shown_alone: bool = True
    lifts_above: bool = False
    misled: float = 0.05
    once: bool = True
    alike: float = inf
    close: float = inf


@dataclass(frozen=True, slots=True)
class Reading(Distinguishing):
    """The numbers of ``hybrid/4``: those of ``hybrid/3``, for questions that were read, and of which ``k`` is meant.

    What holds in conversations counts by how much of one a memory is. Chosen on conversations of two sets, each left
    out in turn, and on long chats; shapes without questions in them are as they were (docs/recall.md).
    """

    clause_surer: float = 0.2  # by so much surer a clause's answer comes before that of the whole question
    list_falls: float = 0.7  # an answer to a question for a list ends as late, in a memory of any size, ...
    list_clearly: float = 0.08
    list_bare: float = 1.0
    chance: float = -1.64  # of what is compared by chance nineteen of twenty are closer, in deviations above the mean
    fades: float = 0.2  # what has gained less is told apart from what has gained nothing
    next_day: float = 0.9  # of a day that is asked about is told on the next as well, which counts so much,
    later: float = 0.6  # ... and within two days more,
    earlier: float = 0.3  # ... and before it
    talk_asks: float = 0.25  # where so much of what is said asks something, all of it is a conversation
    talk_around: float = 0.2  # in one more by what neighbours cover,
    talk_replied: float = 0.2  # by what a question before it covers,
    talk_session: float = 0.2  # by what all of its session covers,
    talk_name: float = 1.0  # by so much more of what a name gains,
    talk_meaning: float = 0.25  # and by so much less of what a cosine does
    long_words: float = 100.0  # of a text with more, words say less: some of any question are in it
    small_doubt: float = 1.0
    gap_stands_out: float = 0.25  # by so much at least somebody else's statement has to be nearer than the third


@dataclass(frozen=True, slots=True)
class Parting(Reading):
    """The numbers of ``hybrid/5``: those of ``hybrid/4``, for long texts that are found by their parts and shown so.

    And for names that sound alike, and paragraphs of documents. Chosen on conversations and notes that were joined to
    long texts, and on the pages of a manual (docs/recall.md).
    """

    next_of: int = 3  # of the first so many the next of a document comes with them,
    next_near: float = 1.0  # if it is by so many deviations nearer than any two,
    next_asking: float = 0.25  # and so little of what is said asks something, as far as that counts
    shown_chars: int | None = LONG_CHARS  # so much of a text is shown, and takes its tokens; None: all of it


@dataclass(frozen=True, slots=True)
class Answering(Parting):
    """The numbers of ``hybrid/6``: those of ``hybrid/5``, where to repeat a question is no answer to it.

    What says the question and nothing else is left out, with a question mark or without. Where it is a note of some
    sort, with a name or under a key, it stands behind what says anything of it. What is called like the question gains
    nothing by that, and stands behind what says about as much by itself.
    """

    again_near: float = 0.25  # of the relevance of what says the question again: what has so much says anything,
    called_near: float = 0.6  # ... as much as what is called like it, what has so much of its relevance,
    trusted: float = 0.05  # what strength gives, an agent's own outcomes among it, outdoes no one who is trusted more
    called_under: float = 0.95  # ... and these have at most so much of the relevance of that


@dataclass(frozen=True, slots=True)
class Tiered(Answering):
    """The numbers of ``hybrid/7``: those of ``hybrid/6``, where nobody moves the cuts above their own tier of trust.

    Where all that a memory shows is trusted alike, it answers as that did. Chosen on memories in which half of the
    texts, and a tenth, are a user's and the others an agent's (docs/retrieval.md).
    """

    leads: float = 0.5  # what says so much of a question by itself is moved by nothing that is trusted less,
    leads_near: float = 0.6  # ... nor is what is so relevant where meaning is looked at;
    outdone: float = 0.5  # that stands before it only where it has less than such a share of its relevance
    scorer: Network | None = None  # what orders those that are trusted alike; None: what is priority
    own: OwnRanker | None = None  # the ranker of somebody else's that gives the priority (001, section 8)


def shown_chars(recipe: Recipe) -> int | None:
    """Return how much of a text is shown in an answer, in characters; None where that is all of it."""
    return recipe.shown_chars if isinstance(recipe, Parting) else None


RANKER: Final = "hybrid/7"
"""What ranks now."""
RANKERS: Final[Mapping[str, Recipe]] = {
    "hybrid/1": Recipe(),
    "hybrid/2": Fused(),
    "hybrid/3": Distinguishing(),
    "hybrid/4": Reading(),
    "hybrid/5": Parting(),
    "hybrid/6": Answering(),
    RANKER: Tiered(),
}
"""All rankers that an answer may have been given by."""


def named_with(own: OwnRanker | None) -> str:
    """Return the name of what ranks now: ours, and after it that of the ranker of somebody else's that orders."""
    return RANKER if own is None else f"{RANKER}{JOINT}{own.name}"


def base_of(ranker: str) -> str:
    """Return the name of ours in that of a ranker."""
    return ranker.partition(JOINT)[0]


def own_of(ranker: str) -> str | None:
    """Return the name of the ranker of somebody else's in that of a ranker; None where a scorer or ours alone ranks."""
    _, _, own = ranker.partition(JOINT)
    return own if is_plugin(own) else None
