"""The types of the TypeScript client, generated from the OpenAPI document of a running service: ``make clients``."""

import tempfile
from pathlib import Path
from typing import Final
from urllib.request import urlopen

from tests.clients.packages import PACKAGE, run, tool
from yggdrasil.engines.embedded import Embedded
from yggdrasil.serving import Service, Serving

TYPES: Final = PACKAGE / "src" / "openapi.ts"


def generate(types: Path) -> None:
    """Write them to ``types``."""
    with tempfile.TemporaryDirectory(prefix="yggdrasil-document-") as folder:
        place = Path(folder)
        with Embedded(place / "data") as engine, Serving(engine, Service(("127.0.0.1", 0))) as serving:
            (place / "openapi.json").write_bytes(urlopen(f"{serving.url}/openapi.json").read())
        # A field that has a default may be left out where it is sent; answers have all of theirs.
        run([tool("openapi-typescript"), place / "openapi.json", "-o", types, "--default-non-nullable=false"])


if __name__ == "__main__":
    generate(TYPES)
