"""What happens: an event joins the graph, with its features, in its session, or in a concept that says it already.

Room for whatever a record of the world does to the graph before anything is judged.
"""
