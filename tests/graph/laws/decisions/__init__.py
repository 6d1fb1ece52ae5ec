"""What is decided: episodes, concepts, pins, reflection, sleep, policy, and the thinkers that decide it."""
