"""How well it is found what an output used: answers by writers who know nothing of each other."""
