"""Writing a finished run to where teams look: a file for each target."""
