"""The episode chunker: each trigger by hand, its bounds, and its episodes in a real memory."""
