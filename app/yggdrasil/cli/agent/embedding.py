"""``yggdrasil embed``: give vectors to what was recorded without, or with those of another model."""

from typing import Annotated, Any

import typer

from ..options import DIR_DEFAULT, Dir, Json
from ..screen import Screen, clean, counted


def embed(
    embedder: Annotated[
        str, typer.Option("--embedder", metavar="pair|minilm|...", help="The model; see docs/embeddings.md.")
    ] = "pair",
    memory: Annotated[
        str | None, typer.Option("--memory", metavar="TENANT/AGENT", help="Only this memory; without it, all.")
    ] = None,
    directory: Dir = DIR_DEFAULT,
    json: Json = False,
) -> None:
    """Give every text that has no vector of a model one, batch by batch, as commands in the log.

    It may be stopped at any moment and goes on where it was; others can use the directory meanwhile. What a memory is
    worth does not change by it, and the directory remembers the model as the one that it is used with. On Kafka,
    `yggdrasil serve --embedder` does the same for the memories that are asked.

    \b
    Examples:
      yggdrasil record "Deployed on a Friday" --feature deploy
      yggdrasil embed
      yggdrasil embed --embedder pair --memory me/agent --json
    """
    from contextlib import closing

    from yggdrasil.engines.embedded import Embedded
    from yggdrasil.engines.embedding import Embedding
    from yggdrasil.engines.own_log import briefly
    from yggdrasil.settings import agree, typed
    from yggdrasil_infra.embedders import open_embedder

    from ..completing import Shared, give_vectors
    from ..opening import catch_up, require, usable

    screen = Screen(json)
    require(directory)
    usable(directory)
    found: list[dict[str, Any]] = []
    with briefly():
        engine = Embedded(directory)
    with engine, closing(open_embedder(embedder)) as model:
        agree(directory, model, setting=typed(embedder))  # which is what the directory is used with from now on
        catch_up(screen, engine)
        memories = engine.memories() if memory is None else [memory]
        for name in memories:
            engine.graph(name)  # or it is unknown
        embedding = Embedding(model)
        with Shared(engine, embedding):
            for name in memories:
                given = give_vectors(screen, engine, name, embedding)
                if given.error is not None:
                    raise given.error
                counts = {"attached": given.attached, "covered": given.covered, "texts": given.texts}
                found.append({"memory": name, **counts})
        document = {"dir": str(directory), "model": model.model, "memories": found}
    screen.result(document, lambda: _show(screen, document))


def _show(screen: Screen, document: dict[str, Any]) -> None:
    screen.table(
        ["memory", ">given a vector", ">with one", ">texts"],
        [(clean(each["memory"]), each["attached"], each["covered"], each["texts"]) for each in document["memories"]],
    )
    given = sum(each["attached"] for each in document["memories"])
    screen.tell(f"{counted(given, 'text')} given a vector of {clean(document['model'])}.")
