"""One list of doors, for the tests that hold them all to the same and for the benchmark that says what each costs.

``way`` says what a door is here, ``table`` lists them; ``facade`` has the facade and the command line, ``stores`` those
that keep things, ``agents`` those that agents call, ``apart`` those that stand in an environment of their own. A client
library is imported when its door is opened. Room for another door: a function, and a line of the table.
"""
