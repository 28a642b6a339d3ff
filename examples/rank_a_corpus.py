"""Score a ranking against judgements, both plain dictionaries: what is in a TREC run and its qrels."""

import ragauge

run = {
    "who founded the tea house?": {"history": 9.1, "prices": 4.2, "water": 4.2},
    "when does it open?": {"prices": 7.7, "hours": 7.5},
    "is there a garden?": {"history": 1.3},
}
qrels = {
    "who founded the tea house?": {"history": 2, "hours": 0},
    "when does it open?": {"hours": 2, "history": 1},
    "where is it?": {"address": 1},
}

result = ragauge.evaluate(run=run, qrels=qrels, metrics=["ndcg@10", "map", "mrr", "recall@1,2"])

print(result)
for note in result.data.notes:
    print("note:", note)
print("nDCG@10 of each judged query:", dict(zip(qrels, result.scores("ndcg@10").round(3).tolist(), strict=True)))
