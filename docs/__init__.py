"""The pages of the site, and the generator of those that come from the code."""
