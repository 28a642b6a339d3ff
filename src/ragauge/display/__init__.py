"""Tables, notes and numbers as text, Markdown and HTML.

`ragauge.display.table` is the model, `ragauge.display.text` and `ragauge.display.html` draw it, and
`ragauge.display.numbers` writes numbers and bars. What a stream can show is decided in `ragauge.cli.terminal`.
"""
