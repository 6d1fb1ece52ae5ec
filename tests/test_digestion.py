"""`digestion` holds claims against facts as it says, draws the same transcripts again, and a scripted model invents."""

import random

from benchmarks.digestion.facts import LESSONS, RELATIONS, Fact, facts
from benchmarks.digestion.first import FIRST
from benchmarks.digestion.scores import Claimed, says, scored
from benchmarks.digestion.second import SECOND
from benchmarks.digestion.third import THIRD
from benchmarks.digestion.writing import Turn, transcripts

OWNER = next(relation for relation in RELATIONS if relation.name == "owner")
FACT = Fact("staging database", OWNER, "Mia", "Ben")
OTHER = Fact("billing service", OWNER, "Ben", "Mia")


def claim(subject: str, predicate: str, value: str, *turns: Turn, sort: str = "fact") -> Claimed:
    return Claimed(sort, subject, predicate, value, turns)


def test_a_claim_says_a_fact_of_the_same_thing_by_a_predicate_that_means_it_and_a_value_of_its_words() -> None:
    assert says(claim("staging", "owner", "mia"), FACT)
    assert says(claim("staging database", "maintainer", "mia"), FACT)
    assert not says(claim("database", "owner", "mia"), FACT), "of which database?"
    assert not says(claim("staging", "uses", "mia"), FACT)
    assert not says(claim("staging", "owner", "ben"), FACT)
    assert not says(claim("staging", "owner", "mia and her cat"), FACT), "more than the fact"
    lesson = LESSONS[0]
    assert says(claim("task", "lesson", f"Always {lesson.words}.", sort="lesson"), lesson)
    assert not says(claim("task", "warning", f"Never {lesson.words}.", sort="lesson"), lesson)


def test_what_is_said_twice_or_merged_is_counted() -> None:
    one, two = Turn("Ana", "Mia owns it.", (FACT,)), Turn("Ana", "Ben owns that.", (OTHER,))
    claims = [claim("staging", "owner", "mia", one, two), claim("staging database", "owner", "mia", one)]
    score = scored([FACT, OTHER], [*claims, claim("staging", "owner", "ben", two)], ["a b c", "d"])
    assert (score.found, score.right, score.again, score.merged, score.words) == (1, 2, 1, 1, 4)
    assert (round(score.precision, 2), score.recall, score.dense) == (0.67, 0.5, 1_500)


def test_transcripts_are_the_same_for_a_seed_and_say_every_fact() -> None:
    for writer in (FIRST, SECOND, THIRD):
        assert set(writer.facts) == {relation.name for relation in RELATIONS}
        assert set(writer.lessons) == {lesson.sort for lesson in LESSONS}
        told = transcripts(writer, 3, 7)
        assert [one.turns for one in told] == [one.turns for one in transcripts(writer, 3, 7)]
        assert told[0].turns != transcripts(writer, 3, 8)[0].turns
        for turn in (turn for one in told for turn in one.turns):
            assert "{" not in turn.text, turn
    assert len(set(facts(random.Random(1), 300))) == 300
