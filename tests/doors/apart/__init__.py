"""Doors to what cannot be installed beside the others: `make test-doors` runs these in `.venv-doors`."""
