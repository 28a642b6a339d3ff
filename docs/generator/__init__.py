"""The pages that come from the code: one per metric, the ingredients, the commands, the Python names.

``python -m docs.generator`` writes them. Their text comes from docstrings, and their examples from ``docs/worked/``.
"""
