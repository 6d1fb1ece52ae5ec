"""Places: a world that an agent walks through, seeing little of it at a time, and what its memory then knows of it."""
