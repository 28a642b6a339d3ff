"""Files and objects as people have them: what is read of each, what a note says, and which flag an error names."""
