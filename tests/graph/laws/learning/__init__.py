"""What is learnt from outcomes, recall and use, and who gets the credit for it."""
