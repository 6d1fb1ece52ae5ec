"""The concept former: its counts, its communities, what it decides, and what it does not see in noise."""
