"""The pages that come from the code: one per metric, the ingredients, the commands, the Python names; and ``llms.txt``.

``python -m docs.generator`` writes them. Their text comes from docstrings, and their examples from ``docs/worked/``.
"""
