"""Commands that run until they are told to stop: a worker, the service, and thinkers beside a topic.

Room for another process of a deployment, and for the options that such processes have in common.
"""
