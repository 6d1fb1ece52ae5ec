"""Tests of the facade, the embedded engine and retrieval, on a real log and real stores."""
