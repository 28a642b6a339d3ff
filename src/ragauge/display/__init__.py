"""Tables, notes and numbers as text, Markdown and HTML."""
