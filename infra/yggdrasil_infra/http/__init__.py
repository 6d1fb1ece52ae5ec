"""HTTP without domain rules: who calls, how much one may ask, how an error looks, how a server starts and ends."""
