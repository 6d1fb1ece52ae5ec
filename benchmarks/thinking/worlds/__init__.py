"""Long-horizon worlds: what was chosen long ago decides how it ends, and what looks good at once may not be.

Room for another world, small enough to be understood at a glance. A world knows no agent, an agent no other.
"""
