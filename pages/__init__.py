"""The pages of ``docs/`` that say what the code says of itself: one per metric, ingredients, commands, Python names.

``python -m pages`` writes them; what they say is changed in a docstring, or in ``pages/worked/`` for the examples.
"""
