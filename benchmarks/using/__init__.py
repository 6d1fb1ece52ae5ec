"""How well it is found what an output used: answers by two writers who know nothing of each other or of the detector."""
