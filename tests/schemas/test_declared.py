"""What commands declare of themselves is what is stored and hashed: it is written here once more, and never changes."""

from yggdrasil_schemas.codec import LANGUAGES
from yggdrasil_schemas.commands import BY_NUMBER, COMMANDS

NUMBERED = (
    "record_event", "log_outcome", "record_recall", "report_use", "set_policy", "attest", "commit_episode",
    "form_concept", "dissolve_concept", "adjust", "sleep", "pin", "attach_vector", "lift_catastrophe", "retire_thinker",
    "judge", "assert_claim", "relate", "define", "alias_entity", "record_read",
    "adopt_scorer", "snapshot",
)  # fmt: skip
WITH_FLOATS = {"log_outcome", "record_recall", "adjust", "pin", "set_policy"}


def test_a_command_keeps_its_number_and_no_other_has_it() -> None:
    assert dict(enumerate(NUMBERED, start=1)) == BY_NUMBER
    assert {model.number for name, model in COMMANDS.items() if name not in NUMBERED} == {0}
    assert len(COMMANDS) == len(NUMBERED) + 1, "a version is enabled without an identity"


def test_which_bodies_can_hold_a_float_decides_how_they_are_hashed() -> None:
    assert COMMANDS.keys() - LANGUAGES[1].without_floats == WITH_FLOATS
