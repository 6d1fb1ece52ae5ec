"""The proof: small tests beside whole-system ones. Shared parts are imported as `tests.<name>`."""
