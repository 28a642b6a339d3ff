"""How numbers look: bars of text, and the frame of tables in notebooks."""
