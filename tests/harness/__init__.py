"""The benchmark `harness`: its world, its agent, the memories that it is given, and the proofs beside it."""
