"""What stands: the status of a node, what a verdict makes of it, and what takes its place under a key.

Below all other laws, which ask it what may be corrected. Room for whatever a status may become; a salience is none of
its business.
"""
