"""Commands that run until they are told to stop: a worker, the service, and thinkers beside a topic."""
