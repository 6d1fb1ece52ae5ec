"""A long life: one memory that takes in a great many events, with thinkers and without.

What happens in it is ``life``; how it is lived, asked and measured is ``living`` and ``benchmark``. Room for another
kind of life; what a life holds is drawn from its seed, so that both memories live the same.
"""
