"""What is asked of places, against plain oracles and real stores."""
