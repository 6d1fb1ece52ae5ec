"""Hooks for coding agents, Claude Code and Codex: what they do becomes memory, and what is remembered comes back.

The folder is a plugin as it stands: ``.claude-plugin`` and ``.codex-plugin`` name it, ``hooks/hooks.json`` says which
events call ``hook.py``. What that runs is the standard library alone, in an isolated interpreter without site packages,
and imports nothing of ours from outside this folder: importing the facade takes longer than a hook may. For the same
reason there are no dataclasses, whose import would be a fifth of a hook's time. Only ``installing`` is for the command
line.
"""
