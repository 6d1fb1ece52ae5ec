"""What has a directory open is neither deep-copied nor pickled, and says what to do instead."""

import pickle
from copy import copy, deepcopy
from pathlib import Path

import pytest

from yggdrasil import AsyncMemory, Memory, Store


def test_a_memory_says_why_it_is_not_copied_and_what_to_do(tmp_path: Path) -> None:
    with Store.open(tmp_path, embedder="none") as store:
        memory = store.memory("me/agent")
        for held in (store, memory, AsyncMemory(memory)):
            name = type(held).__name__
            article = "an" if name == "AsyncMemory" else "a"
            with pytest.raises(TypeError, match=f"^an? {name} cannot be deep-copied: .* which threads may share"):
                deepcopy({"deps": held})
            with pytest.raises(
                TypeError, match=f"^{article} {name} cannot be pickled: .*another process opens the directory"
            ):
                pickle.dumps(held)


def test_a_handle_on_a_memory_is_still_made_of_another(tmp_path: Path) -> None:
    with Memory.open(tmp_path, "me/agent", embedder="none") as memory:
        event = memory.record_event("Deployed", features=["deploy"])
        assert copy(memory).describe(event).memory.text == "Deployed"
        assert memory.speaking(trust=0).describe(event).memory.ref == event
