"""Figures as SVG, drawn by hand: each says in words what it shows, and no colour alone means anything."""
