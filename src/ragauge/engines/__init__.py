"""Where metrics run: several processes of one machine, or a cluster. All of them score parts and merge their sums."""
