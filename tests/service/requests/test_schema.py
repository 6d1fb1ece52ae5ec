"""What the OpenAPI document allows, and much that it forbids: no fault of the server, and no answer of another shape.

Schemathesis draws the requests from the document itself, so a route that is not told truly does not pass.
"""

import subprocess
import sys
from pathlib import Path

from tests.schemas.test_wording import UNKNOWN, patterns_in
from tests.service.client import Client
from tests.size import turns
from yggdrasil_infra.http.parameters import FORMS
from yggdrasil_schemas.commands import COMMANDS
from yggdrasil_schemas.commands.wording import wording

HERE = Path(__file__).parent
SCHEMATHESIS = Path(sys.executable).parent / "schemathesis"
MEMORY = "/v1/memories/{tenant}/{agent}"
OPERATIONS = {
    "get /v1/caller": "caller",
    f"post {MEMORY}/commands": "append",
    f"post {MEMORY}/commands/batch": "append_many",
    f"get {MEMORY}/commands/{{id}}": "became",
    f"post {MEMORY}/context": "get_context",
    f"post {MEMORY}/similar-cases": "get_similar_cases",
    f"post {MEMORY}/foretold": "foretell",
    f"get {MEMORY}/actions/{{id}}": "explain_action",
    f"get {MEMORY}/nodes/{{ref}}": "describe",
    f"get {MEMORY}/nodes/{{ref}}/neighbours": "neighbourhood",
    f"get {MEMORY}/nodes/{{ref}}/dependents": "dependents",
    f"get {MEMORY}/timeline": "timeline",
    f"get {MEMORY}/happened": "happened",
    f"get {MEMORY}/mentions": "mentions",
    f"get {MEMORY}/working-memory": "working_memory",
    f"get {MEMORY}/episodes": "episodes",
    f"get {MEMORY}/episodes/{{ref}}": "episode",
    f"post {MEMORY}/what-next": "what_next",
    f"get {MEMORY}/history": "history",
    f"get {MEMORY}/contradictions": "contradictions",
    f"get {MEMORY}/rulings": "rulings",
    f"get {MEMORY}/claims": "claims",
    f"get {MEMORY}/claims/{{ref}}/lineage": "lineage",
    f"get {MEMORY}/entities/{{name}}": "entity",
    f"get {MEMORY}/drift": "drift",
    f"get {MEMORY}/stats": "stats",
    f"get {MEMORY}/moment": "moment",
    f"get {MEMORY}/diff": "diff",
    f"post {MEMORY}/what-if": "what_if",
    f"post {MEMORY}/forks": "fork",
    f"get {MEMORY}/forks": "forks",
    f"get {MEMORY}/fork-lineage": "lineage_of_fork",
    f"get {MEMORY}/compare": "compare",
    f"get {MEMORY}/against-log": "verify_against_log",
    f"get {MEMORY}/digest": "digest",
    f"get {MEMORY}/said": "said",
    f"get {MEMORY}/standing": "standing",
    f"post {MEMORY}/sessions": "open_session",
    f"get {MEMORY}/sessions": "sessions",
    f"put {MEMORY}/sessions/{{session}}/scratchpad": "put_scratchpad",
    f"post {MEMORY}/sessions/{{session}}/reflection": "reflect",
    f"post {MEMORY}/sessions/{{session}}/end": "end_session",
    f"delete {MEMORY}/sessions/{{session}}": "delete_session",
    f"get {MEMORY}/sessions/{{session}}/context": "session_context",
    f"get {MEMORY}/sessions/{{session}}/digestion": "digestion",
    f"get {MEMORY}/desk": "desk",
    f"get {MEMORY}/decisions": "decisions",
    f"get {MEMORY}/sayers": "sayers",
    f"get {MEMORY}/recoveries": "recoveries",
    f"get {MEMORY}/profiles/{{name}}": "profile",
    f"get {MEMORY}/bias": "bias",
    f"get {MEMORY}/places": "places",
    f"get {MEMORY}/places/nearest": "nearest",
    f"get {MEMORY}/routes": "route",
    f"get {MEMORY}/last-seen/{{name}}": "last_seen",
    f"get {MEMORY}/trades": "trades",
    f"get {MEMORY}/entities/{{name}}/neighbours": "neighbours_of",
    f"post {MEMORY}/graph": "graph",
    f"get {MEMORY}/reported": "reported",
    f"get {MEMORY}/scorers": "scorers",
    f"get {MEMORY}/snapshots": "snapshots",
    "get /v1/memories": "memories",
    "get /v1/moved": "moved",
    "get /livez": "livez",
    "get /readyz": "readyz",
    "get /metrics": "metrics",
}


def test_every_answer_is_as_documented(operator: Client, tmp_path: Path) -> None:
    event = operator.event("Deployed on a Friday", features=["deploy", "path:src/parse.py"])
    operator.post("/commands", {"type": "log_outcome", "body": {"event": event["id"], "value": -3}})
    command = [SCHEMATHESIS, "--config-file", HERE / "schemathesis.toml", "run", f"{operator.url}/openapi.json"]
    command += ["--header", f"Authorization: Bearer {operator.key}", "--no-color", "--generation-deterministic"]
    command += ["--max-examples", str(turns(5, 500))]
    # The short form draws at random; the long one tries the ends of every range and what lies beyond them as well.
    command += ["--phases", turns("fuzzing", "examples,coverage,fuzzing,stateful")]
    done = subprocess.run(list(map(str, command)), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Tested: {len(OPERATIONS)}" in done.stdout


def test_the_document_names_only_what_is_there(operator: Client) -> None:
    document = operator.send("GET", "/openapi.json").json
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (method, path)
            for status, answer in operation["responses"].items():
                shapes = set(answer.get("content", {}))
                expected = {"application/problem+json"} if int(status) >= 400 else {"application/json"}
                probe = path in ("/livez", "/readyz", "/metrics") and int(status) in (200, 503)
                assert shapes == ({"text/plain"} if probe else expected), (method, path, status)


def test_the_operations_keep_the_names_that_clients_were_made_with(operator: Client) -> None:
    """A generated client names its functions after them: to rename one breaks whoever has such a client."""
    paths = operator.send("GET", "/openapi.json").json["paths"]
    named = {f"{method} {path}": told["operationId"] for path, ways in paths.items() for method, told in ways.items()}
    assert named == OPERATIONS


def test_what_is_answered_has_all_of_its_fields(operator: Client) -> None:
    shapes = operator.send("GET", "/openapi.json").json["components"]["schemas"]
    assert set(shapes["Context"]["required"]) == set(shapes["Context"]["properties"])
    assert shapes["AskSent"]["required"] == ["query"]


def test_the_document_says_what_the_fields_of_a_command_are_for(operator: Client) -> None:
    shapes = operator.send("GET", "/openapi.json").json["components"]["schemas"]
    for name in (shape.__name__ for shape in COMMANDS.values() if shape.__name__ in shapes):
        fields = shapes[name]["properties"] | shapes[f"{name}Body"].get("properties", {})
        undescribed = {field for field, shape in fields.items() if not shape.get("description")}
        assert undescribed <= {"type", "body"}, (name, undescribed)


def test_the_page_needs_no_network(operator: Client) -> None:
    page = operator.send("GET", "/docs")
    assert page.status == 200
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert b"//" not in page.body.replace(b"<!doctype", b"")
    for part in ("swagger-ui-bundle.js", "swagger-ui.css", "start.js", "favicon.png"):
        found = operator.send("GET", f"/docs/{part}")
        assert found.status == 200
        assert found.body
    operator.send("GET", "/docs/..%2fcore.py").problem(404, "not_found")
    operator.send("GET", "/docs/redoc.standalone.js").problem(404, "not_found")


def test_each_pattern_of_the_document_has_words(operator: Client) -> None:
    document = operator.send("GET", "/openapi.json").json
    for pattern in {*patterns_in(document)}:
        entry = {"type": "string_pattern_mismatch", "msg": "", "ctx": {"pattern": pattern}}
        assert wording(entry, forms=FORMS) != UNKNOWN, pattern
    told = operator.send("GET", "/v1/memories/me/a%5Eb/rulings?after=%5Ba-z%5D").problem(422, "invalid")["detail"]
    assert told.startswith("path.agent: 1 to 64 letters") and "^" not in told, told
    for query, said in (
        ("after=soon", "no receipt"),
        ("deadline_s=x", "must be a number"),
        ("no=1", "no: unknown field"),
    ):
        told = operator.send("GET", f"/v1/memories/me/agent/rulings?{query}").problem(422, "invalid")["detail"]
        assert said in told and "Input" not in told, told
