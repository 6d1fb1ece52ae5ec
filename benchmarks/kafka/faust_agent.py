"""A Faust agent that does nothing, for comparison.

``python -m benchmarks.kafka.faust_agent SERVERS TOPIC RECORDS PATH`` runs it.

It is handed each record as bytes, counts it, and lets it be acknowledged as agents do. Memory is its only store, and no
web server is opened. Faust may take minutes to stop, so the process ends itself as soon as it has counted enough.
"""

import os
import sys
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import faust
import orjson


def main(servers: str, topic: str, records: int, path: Path) -> None:
    """Count ``records`` records of ``topic``, and tell when; Faust's own files go to ``path``."""
    app = faust.App(
        f"benchmark-nothing-{os.getpid()}",  # a group of its own: one that ended as this does is missed for a minute
        broker=[f"kafka://{server}" for server in servers.split(",")],
        store="memory://",
        datadir=path,
        web_enabled=False,
        topic_disable_leader=True,
        consumer_auto_offset_reset="earliest",
    )

    @app.agent(app.topic(topic, key_serializer="raw", value_serializer="raw"))
    async def nothing(stream: Any) -> None:
        read = 0
        start = cpu = 0.0
        async for _ in stream:
            if not read:
                start, cpu = monotonic(), process_time()
            read += 1
            if read == records:
                said = {"what": "done", "start": start, "end": monotonic(), "cpu": process_time() - cpu}
                print(orjson.dumps(said).decode(), flush=True)
                os._exit(0)

    app.finalize()
    with Path(os.devnull).open("w") as nowhere:  # for what Faust would draw
        faust.Worker(app, loglevel="error", stdout=nowhere, redirect_stdouts=False).execute_from_commandline()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
