"""Score generated answers against reference answers: from a file, from rows in memory, and one by one."""

from pathlib import Path

import ragauge

HERE = Path(__file__).parent

# From a file; lang has every metric cut texts into Chinese words.
result = ragauge.evaluate(HERE / "answers.zh.jsonl", ["rouge-l", "chrf", "token-f1", "exact-match"], lang="zh")
print(result)

# What a mean hides: the answers that score lowest. zh-6 is fluent, close to its reference, and wrong in its number.
scores = result.scores("rouge-l")
rows = result.to_arrow().to_pylist()
print("\nThe three lowest by rouge-l:")
for place in scores.argsort()[:3]:
    row = rows[place]
    print(f"  {scores[place]:.2f}  {row['id']}  {row['answer']}  (should be: {row['references'][0]})")

# From rows in memory whose columns have names of their own.
own = [
    {"ask": "Who runs the salon?", "said": "Madame Verin runs it.", "truth": "Madame Verin"},
    {"ask": "On which day?", "said": "Every Thursday.", "truth": "on Thursdays"},
    {"ask": "Who plays the piano?", "said": None, "truth": "Her nephew"},
]
names = {"question": "ask", "answer": "said", "references": "truth"}
small = ragauge.evaluate(own, ["token-f1", "chrf"], map=names)
print("\nRows in memory: one answer is null, so two of three count, and the table says so.\n")
print(small)

# One answer alone.
one = ragauge.score("rouge-l", answer="茶馆周一休息。", references=["茶馆每周一休息。"])
print(f"\nrouge-l of one answer: {one:.3f}")
