"""What a library does with a few texts and samples, asked in an environment that has it: part of benchmarks/why_not.py.

    python benchmarks/peer_facts.py PEER STEP < input.json

Prints JSON. Steps: ``texts`` scores each text against itself; ``failed`` scores three samples of which one fails;
``asked`` scores the faithfulness of answers, ``keyless`` does so without an API key. ``input.json`` has the texts by
language, the samples, the address of a judge, and for promptfoo its command.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from math import isnan
from pathlib import Path
from typing import Any

Found = dict[str, Any]
MODEL = "gpt-4o-mini"


def error_of(call: Callable[[], Any]) -> str | None:
    """Return the kind of error that a call ends with, None if it ends well."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - whatever the library raises
        return type(error).__name__
    return None


# --- ragauge --------------------------------------------------------------------------------------------------------


def ragauge_texts(given: Mapping[str, Any]) -> Found:
    import ragauge

    return {
        title: {tag: ragauge.score(name, answer=text, references=[text]) for tag, text in given["texts"].items()}
        for title, name in (("ROUGE-L", "rouge-l"), ("BLEU", "bleu"))
    }


def ragauge_failed(given: Mapping[str, Any]) -> Found:
    import ragauge

    why = [None, "the answer could not be read", None]
    rows = [{**row, "failure": reason} for row, reason in zip(given["samples"], why, strict=True)]
    score = ragauge.evaluate(rows, "groundedness")["groundedness"]
    return {"kind": "counted", "scored": score.scored, "total": score.total, "bounds": score.bounds}


def ragauge_keyless(given: Mapping[str, Any]) -> Found:
    import ragauge

    return {"error": error_of(lambda: ragauge.evaluate(given["samples"], "groundedness"))}


ragauge_asked = ragauge_keyless


# --- ragas ----------------------------------------------------------------------------------------------------------


def ragas_texts(given: Mapping[str, Any]) -> Found:
    from ragas import SingleTurnSample
    from ragas.metrics import BleuScore, RougeScore

    def score(metric: Any, text: str) -> float:
        return float(asyncio.run(metric.single_turn_ascore(SingleTurnSample(response=text, reference=text))))

    return {
        title: {tag: score(metric, text) for tag, text in given["texts"].items()}
        for title, metric in (("ROUGE-L", RougeScore()), ("BLEU", BleuScore()))
    }


def ragas_result(given: Mapping[str, Any], **judge: Any) -> Any:
    from ragas import EvaluationDataset, evaluate
    from ragas.metrics import Faithfulness

    names = {"user_input": "question", "response": "answer", "retrieved_contexts": "contexts"}
    rows = [{theirs: row[ours] for theirs, ours in names.items()} for row in given["samples"]]
    return evaluate(EvaluationDataset.from_list(rows), metrics=[Faithfulness()], show_progress=False, **judge)


def ragas_asked(given: Mapping[str, Any]) -> Found:
    from langchain_openai import ChatOpenAI
    from ragas.llms import LangchainLLMWrapper

    judge = ChatOpenAI(model=MODEL, base_url=given["url"], api_key="none", max_retries=0)
    found = ragas_result(given, llm=LangchainLLMWrapper(judge))
    return {"scores": [None if isnan(score) else float(score) for score in found["faithfulness"]]}


def ragas_failed(given: Mapping[str, Any]) -> Found:
    return kind_of(ragas_asked(given)["scores"])


def ragas_keyless(given: Mapping[str, Any]) -> Found:
    return {"error": error_of(lambda: ragas_result(given))}


def kind_of(scores: list[float | None]) -> Found:
    """Return what became of three samples, of which the second failed."""
    if scores[1] is not None:
        return {"kind": "scored", "value": scores[1]}
    return {"kind": "dropped", "scored": sum(score is not None for score in scores)}


# --- DeepEval -------------------------------------------------------------------------------------------------------


def deepeval_texts(_: Mapping[str, Any]) -> Found:
    """Return nothing where no metric of it compares texts by BLEU or ROUGE."""
    from deepeval import metrics

    found = [name for name in dir(metrics) if any(text in name.lower() for text in ("bleu", "rouge"))]
    if found:
        raise SystemExit(f"there are metrics of text now: {found}; score the texts with them here")
    return {}


def deepeval_result(given: Mapping[str, Any], model: Any) -> list[float | None]:
    from deepeval import evaluate
    from deepeval.evaluate.configs import DisplayConfig
    from deepeval.metrics import FaithfulnessMetric
    from deepeval.test_case import LLMTestCase

    cases = [
        LLMTestCase(input=row["question"], actual_output=row["answer"], retrieval_context=row["contexts"])
        for row in given["samples"]
    ]
    shown = DisplayConfig(show_indicator=False, print_results=False)
    found = evaluate(cases, [FaithfulnessMetric(model=model)], display_config=shown)
    return [one.metrics_data[0].score for one in found.test_results]


def deepeval_asked(given: Mapping[str, Any]) -> Found:
    from deepeval.models import GPTModel

    return {"scores": deepeval_result(given, GPTModel(model=MODEL, base_url=given["url"], api_key="none"))}


def deepeval_failed(given: Mapping[str, Any]) -> Found:
    scores: list[float | None] = []
    error = error_of(lambda: scores.extend(deepeval_asked(given)["scores"]))
    return kind_of(scores) if error is None else {"kind": "raised", "error": error}


def deepeval_keyless(given: Mapping[str, Any]) -> Found:
    return {"error": error_of(lambda: deepeval_result(given, None))}


# --- promptfoo ------------------------------------------------------------------------------------------------------


def promptfoo(given: Mapping[str, Any], tests: list[Found], **default: Any) -> list[Found]:
    """Have promptfoo evaluate answers that are there already; return its results."""
    settings = {"prompts": ["{{answer}}"], "providers": ["echo"], "tests": tests, "defaultTest": default}
    with tempfile.TemporaryDirectory() as folder:
        made, out = Path(folder, "promptfooconfig.json"), Path(folder, "out.json")
        made.write_text(json.dumps(settings), encoding="utf-8")
        options = ["--no-cache", "--no-table", "--no-progress-bar", "--no-write", "-j", "1"]
        command = [*given["command"], "eval", "-c", str(made), "-o", str(out), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        if not out.exists():
            raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
        found = json.loads(out.read_text(encoding="utf-8"))
    return sorted(found["results"]["results"], key=lambda one: one["testIdx"])


def promptfoo_texts(given: Mapping[str, Any]) -> Found:
    kinds = {"ROUGE-N": "rouge-n", "BLEU": "bleu"}
    tests = [
        {"vars": {"answer": text}, "assert": [{"type": kind, "value": text} for kind in kinds.values()]}
        for text in given["texts"].values()
    ]
    found = [
        [one["score"] for one in result["gradingResult"]["componentResults"]] for result in promptfoo(given, tests)
    ]
    return {
        title: dict(zip(given["texts"], (scores[place] for scores in found), strict=True))
        for place, title in enumerate(kinds)
    }


def promptfoo_result(given: Mapping[str, Any], **config: Any) -> list[Found]:
    tests = [
        {
            "vars": {"answer": row["answer"], "query": row["question"], "context": "\n".join(row["contexts"])},
            "assert": [{"type": "context-faithfulness", "threshold": 0.5}],
        }
        for row in given["samples"]
    ]
    return promptfoo(given, tests, options={"provider": {"id": f"openai:chat:{MODEL}", "config": config}})


def promptfoo_asked(given: Mapping[str, Any]) -> Found:
    results = promptfoo_result(given, apiBaseUrl=given["url"], apiKey="none")
    return {"scores": [one["score"] if one.get("gradingResult") else None for one in results]}


def promptfoo_failed(given: Mapping[str, Any]) -> Found:
    return kind_of(promptfoo_asked(given)["scores"])


def promptfoo_keyless(given: Mapping[str, Any]) -> Found:
    results = promptfoo_result(given)
    reasons = [(one.get("gradingResult") or {}).get("reason") or one.get("error") for one in results]
    return {"error": None if all(one["success"] for one in results) else str(reasons[0]).partition(":")[0]}


# --- libraries without an LLM ---------------------------------------------------------------------------------------


def sacrebleu_texts(given: Mapping[str, Any]) -> Found:
    from sacrebleu.metrics import BLEU

    return {"BLEU": {tag: BLEU().corpus_score([text], [[text]]).score / 100 for tag, text in given["texts"].items()}}


def sacrebleu_failed(given: Mapping[str, Any]) -> Found:
    from sacrebleu.metrics import BLEU

    answers = [row["answer"] for row in given["samples"]]
    error = error_of(lambda: BLEU().corpus_score([answers[0], None, answers[2]], [answers]))
    return {"kind": "raised", "error": error}


def rouge_score_texts(given: Mapping[str, Any]) -> Found:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"])
    return {"ROUGE-L": {tag: scorer.score(text, text)["rougeL"].fmeasure for tag, text in given["texts"].items()}}


def rouge_score_failed(_: Mapping[str, Any]) -> Found:
    from rouge_score.rouge_scorer import RougeScorer

    return {"kind": "raised", "error": error_of(lambda: RougeScorer(["rougeL"]).score("a", None))}


def pytrec_eval_texts(_: Mapping[str, Any]) -> Found:
    """Return nothing: it compares ids of documents."""
    return {}


def pytrec_eval_failed(_: Mapping[str, Any]) -> Found:
    import pytrec_eval

    judged = {f"q{place}": {"d1": 1} for place in range(3)}
    run = {query: {"d1": 1.0} for query in ("q0", "q2")}
    found = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank"}).evaluate(run)
    return {"kind": "dropped", "scored": len(found)}


def main() -> None:
    peer, step = sys.argv[1:]
    call = globals()[f"{peer.lower().replace('-', '_')}_{step}"]
    given = json.load(sys.stdin)
    # What a library prints itself goes to standard error.
    out, sys.stdout = sys.stdout, sys.stderr
    found = call(given)
    print(json.dumps(found), file=out)


if __name__ == "__main__":
    main()
