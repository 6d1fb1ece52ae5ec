"""What happens: an event joins the graph, with its features, in its session, or in a concept that says it already."""
