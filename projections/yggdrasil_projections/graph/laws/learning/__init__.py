"""What is learnt: outcomes, the credit and the blame that they bring, recall, and use.

Room for another signal that something was good or bad. It may use what experience has, and no decision.
"""
