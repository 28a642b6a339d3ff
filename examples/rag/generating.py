"""Generation: an answer to a question from passages, quoted from them or written by a language model."""

import os
from collections.abc import Callable, Sequence

from rag.reranking import Scorer
from ragauge.sentences import sentences

Generator = Callable[[str, Sequence[str]], str]
"""A question and passages -> an answer."""

NOTHING = {
    "ar": "لا أعرف.",
    "en": "I do not know.",
    "ja": "わかりません。",
    "ko": "모르겠습니다.",
    "ru": "Я не знаю.",
    "zh": "我不知道。",
}
"""What is answered where there is no passage at all."""

INSTRUCTIONS = (
    "Answer the question in its own language, in one or two sentences, from the passages only. "
    "If they do not hold the answer, say that you do not know."
)


class Extractive:
    """Quotes the one sentence of the passages that fits the question best: no model, and nothing made up."""

    def __init__(self, scorer: Scorer, nothing: str) -> None:
        """Take what scores a sentence, and what is answered where there is no passage."""
        self._scorer, self._nothing = scorer, nothing

    def __call__(self, question: str, passages: Sequence[str]) -> str:
        """Return that sentence."""
        parts = [sentence for passage in passages for sentence in sentences(passage.partition("\n")[2])]
        if not parts:
            return self._nothing
        scores = self._scorer(question, parts)
        return parts[scores.index(max(scores))]


class Chat:
    """Asks any server that speaks OpenAI's ``/v1/chat/completions``: vLLM, Ollama, llama.cpp, OpenAI and others."""

    def __init__(self, base_url: str, model: str) -> None:
        """Take the address up to and with ``/v1``; the key, if the server wants one, is in OPENAI_API_KEY."""
        from openai import OpenAI

        self._client = OpenAI(base_url=base_url, api_key=os.environ.get("OPENAI_API_KEY", "none"))
        self._model = model

    def __call__(self, question: str, passages: Sequence[str]) -> str:
        """Return what the model answers; an error is raised, and ragauge counts the sample as failed."""
        numbered = "\n\n".join(f"[{number}] {passage}" for number, passage in enumerate(passages, 1))
        completion = self._client.chat.completions.create(
            model=self._model,
            messages=[
                {"role": "system", "content": INSTRUCTIONS},
                {"role": "user", "content": f"{numbered}\n\nQuestion: {question}"},
            ],
            temperature=0,
            max_tokens=128,
        )
        return (completion.choices[0].message.content or "").strip()
