"""What is learnt: outcomes, the credit and the blame that they bring, recall, and use."""
