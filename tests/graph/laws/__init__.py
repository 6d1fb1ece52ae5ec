"""The laws, with numbers worked out by hand; here what concerns all of them: bounds, density, refusals."""
