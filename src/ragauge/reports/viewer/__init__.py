"""A local page over folders of saved runs."""
