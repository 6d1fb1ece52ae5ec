"""The JSON Schema files say what the models say: no more, no less than a schema can."""

import re
from pathlib import Path

import orjson
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.corpus.cases import Case, accepted, refused
from yggdrasil_schemas.codec import Decoded, decode
from yggdrasil_schemas.commands import COMMANDS
from yggdrasil_schemas.export import FOLDER, documents, write
from yggdrasil_schemas.policy import CONSTANTS, DEFAULT
from yggdrasil_schemas.refusals import Refusal

SCHEMAS = {name: orjson.loads((FOLDER / f"{name}.json").read_bytes()) for name in (*COMMANDS, "policy")}
REFUSALS = orjson.loads((FOLDER / "refusals.json").read_bytes())
DOCUMENTS = documents()
VALIDATORS = {name: Draft202012Validator(schema) for name, schema in SCHEMAS.items()}

# To JSON Schema 1.0 is an integer, and to Python's `re` a `$` also matches before a last line feed.
BEYOND_A_SCHEMA = {
    "envelope, at float",
    "envelope, trust 1.0",
    "body, recall: as_of 1.0",
    "body, episode: keep 1.0",
    "body, sleep: thinker's cursor_from 0.0",
    "body, sleep: thinker's cursor_to 1.0",
    "sleep, a part beyond the parts",  # it compares no fields
    "sleep, a part without parts",
    "body, policy: a float for a count",
    "body, enable: rules_version 1.0",
    "envelope, id with a line feed",
    "envelope, memory with a line feed",
    "envelope, session ending in a line feed",
    'body, event: supersedes "16d956ad-ebbd-8a8d-b55e-22f2df593e29\\n"',
    'body, recall: parameters {"a\\n": 1}',
    "content, vector: dimension 3.0",
    "content, vector: model with a control character",
    "content, vector: a line feed at its end",
    "attach: a piece that ends where it begins",
    "attach: pieces out of order",
    "attach: two pieces that begin at one place",
    "attach: a piece of another dimension",
    "attach: a piece with -128",
    # Nor can it count bytes, or compare one part with another.
    "body, claim: a note that condenses",
    "body, claim: a note that supersedes",
    "body, claim: a note that waits",
    "body, judge: a node twice",
    "body, assert_claim: an empty object",
    "body, assert_claim: two values",
    "body, assert_claim: a unit of nothing",
    "body, assert_claim: a unit of a flag",
    "body, assert_claim: an anchor too far east",
    "body, assert_claim: an anchor too deep",
    "body, assert_claim: a chunk too far",
    "body, assert_claim: beyond the date line",
    "body, assert_claim: beyond the pole",
    "body, assert_claim: a chunk of the earth",
    "body, assert_claim: an anchor with a line feed",
    "body, assert_claim: an anchor and a flag",
    "body, assert_claim: a unit of an anchor",
    "body, assert_claim: it ends when it begins",
    "body, assert_claim: it ends before it begins",
    "body, define: no predicate",
    "body, define: a predicate and a role",
    "body, define: neither, in so many words",
    "body, define: a role and no predicate, in so many words",
    "body, define: a role with cardinality",
    "body, define: a role with resolution",
    "body, define: a role with review",
    "body, define: a role with confirmations",
    "body, define: a role with perish_ticks",
    "body, define: a role with authority",
    "body, define: symmetric with one value",
    "body, define: symmetric with many values",
    "body, define: a role with symmetric",
    "body, define: a role with confirm_by",
    "body, define: a role with confirm_gap",
    "body, define: a role with one perspective twice",
    "body, define: two that had one name",
    "adopt_scorer, no scorer and no weights",
    "adopt_scorer, both",
    "adopt_scorer, a proposal without features",
    "adopt_scorer, a proposal without weights",
    "adopt_scorer, a proposal without samples",
    "adopt_scorer, a proposal without metric",
    "adopt_scorer, a proposal without baseline",
    "content, vector: a byte less than its dimension",
    "content, vector: a byte more than its dimension",
    "content, vector: the number -128",
    "attach: the number -128",
    "attach: a vector of another model",
}


def malformed() -> list[Case]:
    """What is refused for its fields, and what is reserved: the part that a schema can say."""
    parts = {"invalid_envelope", "invalid_body", "invalid_content", "reserved_memory"}
    return [case for case in refused() if case.reason in parts and case.name not in BEYOND_A_SCHEMA]


def test_the_files_are_up_to_date() -> None:
    found = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
    assert found == DOCUMENTS, "run `make schemas` and commit what it writes"


def test_writing_mends_what_is_stale_and_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "v1"
    assert len(write(folder)) == len(DOCUMENTS)
    (folder / "gone.json").write_text("{}")
    (folder / "attest.json").write_text("{}")
    assert write(folder) == ["removed gone.json", "wrote attest.json"]
    assert write(folder) == []
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == DOCUMENTS


@pytest.mark.parametrize("data", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_file_is_sorted_and_ends_in_a_line_feed(data: bytes) -> None:
    again = orjson.dumps(orjson.loads(data), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
    assert data == again + b"\n"


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_valid_closed_described_and_has_no_made_up_address(name: str) -> None:
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$id"].startswith("urn:yggdrasil:schema:v1:")
    assert schema["description"]
    for part in (schema, *schema.get("$defs", {}).values()):
        assert part["additionalProperties"] is False
        if name != "policy":
            bare = [key for key, field in part["properties"].items() if key not in {"type", "body"}]
            assert [key for key in bare if not part["properties"][key].get("description")] == []
    assert set(re.findall(r"https?://[^\"]+", orjson.dumps(schema).decode())) == {
        "https://json-schema.org/draft/2020-12/schema"
    }


def test_a_schema_accepts_what_is_accepted() -> None:
    wrong = {}
    for case in accepted():
        decoded = decode(case.value)
        assert isinstance(decoded, Decoded), case.name
        if errors := list(VALIDATORS[decoded.command.type].iter_errors(orjson.loads(case.value or b""))):
            wrong[case.name] = errors
    assert wrong == {}


def test_a_schema_refuses_what_is_malformed() -> None:
    fields = {case.name: orjson.loads(case.value or b"") for case in malformed()}
    assert len(fields) > 500
    assert [name for name, said in fields.items() if VALIDATORS[said["type"]].is_valid(said)] == []


def test_only_what_a_schema_cannot_say_is_left_to_the_fold() -> None:
    left = [case for case in refused() if case.name in BEYOND_A_SCHEMA]
    fields = {case.name: orjson.loads(case.value or b"") for case in left}
    assert fields.keys() == BEYOND_A_SCHEMA
    assert [name for name, said in fields.items() if not VALIDATORS[said["type"]].is_valid(said)] == []


def test_the_policy_schema_has_every_constant_and_accepts_the_defaults() -> None:
    properties = SCHEMAS["policy"]["properties"]
    assert properties.keys() == CONSTANTS.keys()
    defaults = {name: entry["default"] for name, entry in properties.items()}
    assert defaults == {name: getattr(DEFAULT, name) for name in CONSTANTS}
    VALIDATORS["policy"].validate(defaults)
    for name, entry in properties.items():
        assert (entry["unit"], entry["source"]) == (CONSTANTS[name].unit, CONSTANTS[name].source)
        assert not VALIDATORS["policy"].is_valid({name: entry["maximum"] + 1})
        assert not VALIDATORS["policy"].is_valid({name: entry["minimum"] - 1})


def test_the_refusals_are_listed_in_order_of_precedence() -> None:
    listed = [(entry["number"], entry["code"], entry["sentence"]) for entry in REFUSALS["refusals"]]
    assert listed == [(refusal.value, refusal.code, refusal.sentence) for refusal in sorted(Refusal)]
