"""What is known of what stands: claims, corrections, who may change what."""
