"""The second writer."""

from dataclasses import replace

from .first import FIRST

SECOND = replace(FIRST, name="second")
