"""Sessions of agents at work, over the facade and over HTTP."""
