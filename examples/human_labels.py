"""Does a metric agree with people? Check it on answers that somebody graded before you let it decide anything.

    ragauge validate examples/graded_answers.jsonl --human human -m rouge-l -m semantic-similarity --group question

does the same from the command line. The answers are those of four imagined systems: one quotes, one says it in other
words, one guesses, and one was misled by the passage of another question. Grades: 2 right, 1 partly right, 0 wrong.
"""

from pathlib import Path

import ragauge

ANSWERS = Path(__file__).parent / "graded_answers.jsonl"
METRICS = ["rouge-l", "chrf", "semantic-similarity", "groundedness"]

validation = ragauge.validate(ANSWERS, METRICS, human="human", group="question", lang="column")
print(validation)

# Which answers a metric misjudges shows in the means of groups of answers: here, by who wrote them.
result = ragauge.evaluate(ANSWERS, ["column:name=human", *METRICS], by="system", lang="column", resamples=0)
print("\nMeans by system; the first column is what people said.\n")
print(f"{'system':10}", *(f"{name.removeprefix('column:name='):>19}" for name in result.metrics))
for system in result.groups("rouge-l", "system"):
    means = (result.groups(name, "system")[system].value for name in result.metrics)
    print(f"{system:10}", *(f"{mean:19.2f}" for mean in means))
