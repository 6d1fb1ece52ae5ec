"""The tools of the official memory server, with its names and arguments, for those who come from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

import orjson
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field

from .answering import Door, chars_of, result, told
from .arguments import TokensMax
from .graph_view import Entity, KnowledgeGraph, NoEntityError, Part, Relation

_MANY: Final = 100
_GRAPH_URI: Final = "memory://knowledge-graph"
_READS: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_ADDS: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
_DELETES: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)

Named = Annotated[str, Field(min_length=1, max_length=128)]
Observed = Annotated[str, Field(min_length=1, max_length=65_536)]


class EntitySent(BaseModel):
    """An entity."""

    name: Named = Field(description="The name of the entity.")
    entityType: Named = Field(description="What sort of thing it is, such as person.")
    observations: list[Observed] = Field(description="What is known of it, a sentence each.", max_length=_MANY)


class RelationSent(BaseModel):
    """A relation between two entities."""

    model_config = ConfigDict(populate_by_name=True)

    source: Named = Field(alias="from", description="The name of the entity where the relation begins.")
    target: Named = Field(alias="to", description="The name of the entity where it ends.")
    relationType: str = Field(
        description="What the first has to do with the second, in the active voice, such as works_at.",
        min_length=1,
        max_length=64,
    )


class Added(BaseModel):
    """Observations for one entity."""

    entityName: Named = Field(description="The name of an entity that is there.")
    contents: list[Observed] = Field(description="What to add, a sentence each.", max_length=_MANY)


class Deleted(BaseModel):
    """Observations of one entity that go."""

    entityName: Named = Field(description="The name of the entity that has them.")
    observations: list[Observed] = Field(description="What to delete, to the letter.", max_length=_MANY)


class EntitiesMade(BaseModel):
    """The entities that were new."""

    entities: list[EntitySent]


class RelationsMade(BaseModel):
    """The relations that were new."""

    relations: list[RelationSent]


class Observations(BaseModel):
    """The observations that were new, of one entity."""

    entityName: str
    addedObservations: list[str]


class ObservationsAdded(BaseModel):
    """The observations that were new."""

    results: list[Observations]


class Done(BaseModel):
    """That it is done."""

    success: bool
    message: str


class GraphSeen(BaseModel):
    """A part of the graph. ``more`` says what is left out and how to go on, ``cursor`` from where."""

    entities: list[EntitySent]
    relations: list[RelationSent]
    more: str | None = None
    cursor: int | None = None


def graph_tools(server: MCPServer[Any], door: Door) -> None:
    """Give a server the nine tools of the official memory server, and its resource."""
    _creating(server, door)
    _deleting(server, door)
    _reading(server, door)


def _creating(server: MCPServer[Any], door: Door) -> None:
    @server.tool(title="Create entities", annotations=_ADDS)
    async def create_entities(
        entities: Annotated[list[EntitySent], Field(max_length=_MANY)],
    ) -> Annotated[CallToolResult, EntitiesMade]:
        """Create entities in the knowledge graph; those whose name is there already are left as they are."""
        async with told():
            sent = [Entity(each.name, each.entityType, each.observations) for each in entities]
            made = [_entity(each) for each in await KnowledgeGraph(door.memory()).create(sent)]
        return result({"entities": made}, orjson.dumps(made).decode())

    @server.tool(title="Create relations", annotations=_ADDS)
    async def create_relations(
        relations: Annotated[list[RelationSent], Field(max_length=_MANY)],
    ) -> Annotated[CallToolResult, RelationsMade]:
        """Create relations between entities of the knowledge graph, in the active voice."""
        async with told():
            made = [_relation(each) for each in await KnowledgeGraph(door.memory()).relate(map(_sent, relations))]
        return result({"relations": made}, orjson.dumps(made).decode())

    @server.tool(title="Add observations", annotations=_ADDS)
    async def add_observations(
        observations: Annotated[list[Added], Field(max_length=_MANY)],
    ) -> Annotated[CallToolResult, ObservationsAdded]:
        """Add observations to entities that are there; what is known already is not added again."""
        async with told():
            try:
                added = await KnowledgeGraph(door.memory()).observe(
                    [(each.entityName, each.contents) for each in observations]
                )
            except NoEntityError as error:
                raise ToolError(
                    f"Entity with name {error} not found; nothing was added. Create it with create_entities first."
                ) from error
        results = [{"entityName": name, "addedObservations": contents} for name, contents in added]
        return result({"results": results}, orjson.dumps(results).decode())


def _deleting(server: MCPServer[Any], door: Door) -> None:
    @server.tool(title="Delete entities", annotations=_DELETES)
    async def delete_entities(
        entityNames: Annotated[
            list[Named], Field(description="The names of the entities to delete.", max_length=_MANY)
        ],
    ) -> Annotated[CallToolResult, Done]:
        """Delete entities, their observations and all relations from and to them. The history keeps them."""
        async with told():
            await KnowledgeGraph(door.memory()).delete(entityNames)
        return _done("Entities deleted successfully")

    @server.tool(title="Delete observations", annotations=_DELETES)
    async def delete_observations(
        deletions: Annotated[list[Deleted], Field(max_length=_MANY)],
    ) -> Annotated[CallToolResult, Done]:
        """Delete observations of entities. The history keeps them."""
        async with told():
            await KnowledgeGraph(door.memory()).forget([(each.entityName, each.observations) for each in deletions])
        return _done("Observations deleted successfully")

    @server.tool(title="Delete relations", annotations=_DELETES)
    async def delete_relations(
        relations: Annotated[list[RelationSent], Field(description="The relations to delete.", max_length=_MANY)],
    ) -> Annotated[CallToolResult, Done]:
        """Delete relations between entities. The history keeps them."""
        async with told():
            await KnowledgeGraph(door.memory()).part(map(_sent, relations))
        return _done("Relations deleted successfully")


def _reading(server: MCPServer[Any], door: Door) -> None:
    @server.tool(title="Read the graph", annotations=_READS)
    async def read_graph(
        cursor: Annotated[int, Field(description="To go on: the `cursor` of the answer before.", ge=0)] = 0,
        tokens_max: TokensMax = None,
    ) -> Annotated[CallToolResult, GraphSeen]:
        """Read the knowledge graph, as much of it as fits; where there is more, `cursor` says from where to go on."""
        async with told():
            part = await KnowledgeGraph(door.memory()).read(cursor)
        return _shown(part, door.budget(tokens_max), cursor)

    @server.resource(
        _GRAPH_URI,
        name="knowledge-graph",
        title="Knowledge graph",
        description="The graph with its entities and relations, as much of it as fits; read_graph has the rest.",
        mime_type="application/json",
    )
    async def knowledge_graph() -> str:
        try:
            async with told():
                part = await KnowledgeGraph(door.memory()).read(0)
        except ToolError as error:
            raise ResourceError(str(error)) from error
        return orjson.dumps(_shown(part, door.budget(None), 0).structured_content).decode()

    @server.tool(title="Search nodes", annotations=_READS)
    async def search_nodes(
        query: Annotated[str, Field(description="What names, types or observations are to contain.", max_length=1_000)],
        tokens_max: TokensMax = None,
    ) -> Annotated[CallToolResult, GraphSeen]:
        """Find the entities whose name, type or observations contain some words, with their relations."""
        async with told():
            part = await KnowledgeGraph(door.memory()).searched(query)
        return _shown(part, door.budget(tokens_max))

    @server.tool(title="Open nodes", annotations=_READS)
    async def open_nodes(
        names: Annotated[list[Named], Field(description="The names of the entities to open.", max_length=_MANY)],
        tokens_max: TokensMax = None,
    ) -> Annotated[CallToolResult, GraphSeen]:
        """Open entities by their names, with their observations and all relations from and to them."""
        async with told():
            part = await KnowledgeGraph(door.memory()).opened(names)
        return _shown(part, door.budget(tokens_max))


def _shown(part: Part, tokens: int, begin: int | None = None) -> CallToolResult:
    """Return a part of the graph in a budget: entities in order, then relations of those; ``begin`` if it is a page."""
    room = chars_of(tokens)
    entities, left_out = _fitting([_entity(each) for each in part.entities], room * 3 // 4)
    there = {each["name"] for each in entities}
    touching = [each for each in part.relations if not left_out or each.source in there or each.target in there]
    relations, unrelated = _fitting([_relation(each) for each in touching], room - len(orjson.dumps(entities)))
    told_of = [f"{left_out} more entities"] * bool(left_out) + [f"{unrelated} more relations"] * bool(unrelated)
    if entities and (short := len(part.entities[len(entities) - 1].observations) - len(entities[-1]["observations"])):
        told_of.append(f"{short} more observations of {entities[-1]['name']}")
    cursor = None if begin is None else part.next
    if begin is not None and left_out:
        cursor = begin + len(entities)
    structure: dict[str, Any] = {"entities": entities, "relations": relations}
    if cursor is not None:
        structure |= {"cursor": cursor, "more": f"there is more: read_graph with cursor {cursor} goes on"}
    if told_of:
        how = "a larger tokens_max (10000 at most), open_nodes or a narrower search_nodes shows them"
        structure["more"] = f"left out: {', '.join(told_of)}; {structure.get('more', how)}"
    elif part.cut:
        structure["more"] = "not all of the graph was looked through: search for something narrower, or use read_graph"
    return result(structure)


def _fitting(shown: Sequence[dict[str, Any]], room: int) -> tuple[list[dict[str, Any]], int]:
    """Return as many as fit, and how many do not; an entity that is too long by itself keeps what fits of it."""
    kept: list[dict[str, Any]] = []
    for each in shown:
        size = len(orjson.dumps(each))
        if size > room and not kept and "observations" in each:
            kept.append({**each, "observations": _fitting_texts(each["observations"], room)})
            continue
        if size > room:
            break
        kept.append(each)
        room -= size
    return kept, len(shown) - len(kept)


def _fitting_texts(texts: Sequence[str], room: int) -> list[str]:
    kept: list[str] = []
    for text in texts:
        room -= len(orjson.dumps(text))
        if room < 0:
            break
        kept.append(text)
    return kept


def _sent(relation: RelationSent) -> Relation:
    return Relation(relation.source, relation.target, relation.relationType)


def _entity(entity: Entity) -> dict[str, Any]:
    return {"name": entity.name, "entityType": entity.type, "observations": list(entity.observations)}


def _relation(relation: Relation) -> dict[str, Any]:
    return {"from": relation.source, "to": relation.target, "relationType": relation.type}


def _done(message: str) -> CallToolResult:
    return result({"success": True, "message": message}, message)
