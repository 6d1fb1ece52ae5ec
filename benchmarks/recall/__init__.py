"""What is found, and what is rightly not answered.

Room for data sets of questions whose answers are known, and for the peers that are asked them too.
"""
