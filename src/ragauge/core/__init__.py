"""What every room builds on: batches of samples, additive statistics, specs, options, signatures and protocols."""
