"""Measure a RAG system part by part: its generator, its retrieval, and the whole before and after re-ranking.

    python examples/rag_pipeline.py --lang en
    python examples/rag_pipeline.py --lang en zh ja ko ru ar --rerank bm25
    python examples/rag_pipeline.py --base-url http://localhost:11434/v1 --model llama3.2

Three runs are saved: `gold`, where the generator reads the passages that it should have been given, so that what is
wrong there is its own fault; `first`, the index alone; and `reranked`.
"""

import argparse
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import ragauge
from rag.chunking import chunks
from rag.corpus import passages, questions
from rag.embedding import LatentSemantic, SentenceModel
from rag.generating import NOTHING, Chat, Extractive, Generator
from rag.pipeline import Rag
from rag.reranking import Bm25, lexical
from rag.searching import Index

CORPORA = Path(__file__).parent.parent / "corpora"
System = Callable[[str], dict[str, Any]]

# undefined=skip: where the corpus has no answer there is nothing to retrieve; such a question is for the generator.
RETRIEVAL = [f"{metric}:undefined=skip" for metric in ("hit-rate@1", "recall@5", "mrr", "ndcg@5")]
GENERATION = ["semantic-similarity", "chrf", "token-f1", "groundedness"]


def main() -> None:
    """Build the systems, ask them, save and compare the runs."""
    asked = options()
    tasks: list[dict[str, Any]] = []
    systems: dict[str, dict[str, System]] = {"gold": {}, "first": {}, "reranked": {}}
    for language in asked.lang:
        folders = sorted(CORPORA.glob(f"*/{language}"))
        some = questions(folders)[: asked.limit]
        tasks += some
        for name, system in built(folders, language, some, asked).items():
            systems[name] |= {task["question"]: system for task in some}
    results = {name: evaluated(name, tasks, by_question) for name, by_question in systems.items()}
    for name, result in results.items():
        result.save(asked.output / name, force=True)
    show(results, asked.output)


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--lang", nargs="+", default=["en"], choices=sorted(NOTHING), help="of the corpora")
    parser.add_argument("--embedding", metavar="MODEL", help="of sentence-transformers; default: none is needed")
    parser.add_argument("--rerank", choices=("lexical", "bm25"), default="lexical")
    parser.add_argument("--base-url", default=os.environ.get("OPENAI_BASE_URL"), help="of a chat server, up to /v1")
    parser.add_argument("--model", default="default", help="its name on that server")
    parser.add_argument("--limit", type=int, help="ask so many questions of each language only")
    parser.add_argument("-o", "--output", type=Path, default=Path("runs"), help="where the runs go")
    return parser.parse_args()


def built(
    folders: list[Path], language: str, tasks: Iterable[dict[str, Any]], asked: argparse.Namespace
) -> dict[str, System]:
    """Make the three systems of one language."""
    corpus = passages(folders)
    cut = list(chunks(corpus))
    texts = [chunk.text for chunk in cut]
    index = Index(cut, SentenceModel(asked.embedding) if asked.embedding else LatentSemantic(texts))
    reranker = Bm25(texts) if asked.rerank == "bm25" else lexical
    generator: Generator = Extractive(lexical, NOTHING[language])
    if asked.base_url:
        generator = Chat(asked.base_url, asked.model)
    titled = {passage.id: passage.titled for passage in corpus}
    relevant = {task["question"]: [titled[judged["id"]] for judged in task["relevance"]] for task in tasks}
    print(f"{language}: {len(corpus)} passages in {len(cut)} chunks, {len(relevant)} questions")

    def gold(question: str) -> dict[str, Any]:
        return {"answer": generator(question, relevant[question]), "contexts": relevant[question]}

    return {"gold": gold, "first": Rag(index, generator), "reranked": Rag(index, generator, reranker)}


def evaluated(name: str, tasks: list[dict[str, Any]], by_question: dict[str, System]) -> ragauge.Result:
    """Ask a system all questions; those that are translations of each other make one cluster."""
    rows = [
        task | {"id": f"{task['language']}/{task['id']}", "task": task["id"], "answerable": bool(task["relevance"])}
        for task in tasks
    ]
    metrics = GENERATION if name == "gold" else [*RETRIEVAL, *GENERATION]
    return ragauge.evaluate(
        rows, metrics, system=lambda question: by_question[question](question), cluster="task", evidence=True
    )


def show(results: dict[str, ragauge.Result], output: Path) -> None:
    """Print the runs and what differs between them."""
    reranking = ragauge.compare(output / "first", output / "reranked")
    price = ragauge.compare(output / "gold", output / "reranked", metrics=GENERATION, by="answerable")
    print("\n## The generator alone, given the right passages\n", results["gold"], sep="\n")
    print("\n## Retrieval and the whole, by the index alone\n", results["first"], sep="\n")
    print("\n## What re-ranking changes\n", reranking, sep="\n")
    print("\n## The whole, beside the generator with the right passages: what retrieval costs\n", price, sep="\n")
    print("\n## Where it costs most\n")
    for fall in price.worst(3, "semantic-similarity"):
        print(f"{fall.id}  {fall.question}")
        print(f"  {fall.base:.2f}  with the right passages: {fall.base_answer}")
        print(f"  {fall.candidate:.2f}  with what was found: {fall.candidate_answer}\n")


if __name__ == "__main__":
    main()
