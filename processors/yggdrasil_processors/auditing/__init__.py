"""Replay the log and compare with what stands; prove an answer; build anew. Nothing here writes to the log.

Room for another proof. Worker and host may use what is here, and it knows neither.
"""
