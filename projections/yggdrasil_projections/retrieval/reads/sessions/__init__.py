"""What is asked about the work of agents: which sessions are open, what is on their desks, what was decided and by
whom, and what a session is given before it acts.

Room for another question about sessions. A read here looks at open sessions, whose number is bounded, and finds what
they left behind by the index.
"""
