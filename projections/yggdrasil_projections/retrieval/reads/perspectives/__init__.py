"""What agents care about: how strong memories are under the perspectives of a role.

Room for whatever else tells one view of a memory from another. Laws say what makes a memory strong.
"""
