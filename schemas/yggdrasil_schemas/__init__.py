"""The language of the log: envelope, commands, refusals, policy, graph records, ids and codecs. Imports nothing of ours."""
