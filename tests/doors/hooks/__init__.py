"""Hooks of coding agents: the script as it is called, with inputs that were recorded from the agents themselves."""
