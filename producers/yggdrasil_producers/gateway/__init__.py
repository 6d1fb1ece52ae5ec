"""The gateway: commands in over HTTP, stamped with who said them, from those who may say them."""
