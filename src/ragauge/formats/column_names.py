"""Recognise the known columns among those of a source by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple
from unicodedata import normalize

from ragauge.core.sample import SCHEMA
from ragauge.errors import ColumnError, did_you_mean

# Words that can mean the system's answer as well as the right one (Chinese 答案) are in `EITHER_ANSWER`.
_HEADERS: Mapping[str, str] = {
    "id": "编号 样本编号 问题编号 样本id 问题id 編號 樣本編號 問題編號 サンプル番号 質問番号 번호 샘플_번호",
    "question": "user_question user_query "
    "问题 提问 用户问题 用户提问 用户输入 查询 問題 使用者問題 質問 ユーザーの質問 질문 사용자_질문 вопрос запрос "
    "سؤال السؤال प्रश्न คำถาม frage benutzerfrage pregunta consulta pergunta",
    "answer": "model_answer model_response model_output llm_answer llm_response bot_answer system_answer "
    "generated_response "
    "回答 模型回答 系统回答 回复 模型回复 系统回复 模型输出 模型答案 生成答案 生成回答 预测答案 模型輸出 系統回答 "
    "モデルの回答 답변 응답 모델_답변 ответ ответ_модели إجابة الإجابة उत्तर คำตอบ antwort réponse respuesta resposta",
    "references": "correct_answer standard_answer ideal_answer gold_response golden_answer reference_response "
    "参考答案 标准答案 正确答案 期望答案 期望回答 参考回答 真实答案 參考答案 標準答案 正確答案 正解 参照回答 "
    "模範解答 정답 모범_답안 참조_답변 эталонный_ответ правильный_ответ эталон الإجابة_المرجعية संदर्भ_उत्तर "
    "คำตอบอ้างอิง referenzantwort musterantwort réponse_de_référence réponse_attendue respuesta_de_referencia "
    "respuesta_esperada",
    "contexts": "retrieved_chunks retrieved_content "
    "检索上下文 检索内容 检索结果 检索片段 检索文档 召回内容 召回结果 召回片段 召回文档 召回上下文 檢索內容 "
    "檢索結果 検索結果 検索文書 검색_결과 검색_문서 найденные_документы найденные_фрагменты "
    "السياق_المسترجع पुनर्प्राप्त_संदर्भ บริบทที่ค้นพบ gefundener_kontext contexte_récupéré contexto_recuperado",
    "reference_contexts": "标准上下文 参考上下文 标准片段 参考片段 参考文档",
    "language": "语言 语种 語言 言語 언어 язык اللغة भाषा ภาษา",
}


def folded(name: str) -> str:
    """Return a header as programs write names: in lower case, with one underscore between words.

    >>> folded("User Input"), folded("groundTruth"), folded(" Ground-Truth "), folded("问题")
    ('user_input', 'ground_truth', 'ground_truth', '问题')
    """
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", normalize("NFKC", name).strip())
    return re.sub(r"[\s_-]+", "_", apart).lower()


HEADERS: Mapping[str, str] = {folded(name): known for known, names in _HEADERS.items() for name in names.split()}
"""Header, as `folded` writes it -> known column."""

_CONTEXTS = "context 上下文 文脈 コンテキスト 문맥 컨텍스트 контекст السياق संदर्भ บริบท kontext contexte contexto"
CONTEXT = frozenset(map(folded, _CONTEXTS.split()))
"""Headers of passages that may be those that were retrieved or those that should have been."""

_ANSWERS = "答案 解答 答え 답 답안 الجواب जवाब"
EITHER_ANSWER = frozenset(map(folded, _ANSWERS.split()))
"""Headers of answers that may be the system's or the right ones."""

_PREDICTED = ("predicted_answer", "predicted_answers")
"""Beside one of these, which are the system's, `answer` is the right one: so does Haystack's report name them."""

# Names in the sources of ragas 0.0-0.4 (old and new), deepeval 4 (Python and camel case), TruLens 2 (ground truth
# tables), continuous-eval 0.3, RAGChecker 0.1, llama-index 0.14, phoenix-evals 3, mlflow 3, inspect_ai 0.3; Haystack's
# evaluators and FlashRAG's data sets; and plain names that people use. For `context` see `_meaning_of_context`.
_NAMES: Mapping[str, str] = {
    "id": "_id qid query_id uid sample_id",
    "question": "user_input input inputs query questions",
    "answer": "response actual_output actualOutput output outputs prediction predicted_answer predicted_answers "
    "generated_answer hypothesis completion",
    "references": "reference reference_answer reference_answers ground_truth ground_truths ground_truth_answer "
    "ground_truth_answers gt_answer expected expected_output expectedOutput expected_response expected_answer "
    "target targets gold gold_answer gold_answers golden_answers",
    "contexts": "retrieved_contexts retrieved_context retrieval_context retrievalContext "
    "retrieved_context_chunks retrieved_texts retrieved_documents retrieved_passages",
    "reference_contexts": "ground_truth_context ground_truth_contexts ground_truth_documents expected_chunks "
    "expected_texts expected_retrieved_context gold_contexts",
    "retrieved": "retrieved_context_ids retrieved_ids retrieved_doc_ids",
    "retrieved_scores": "retrieved_context_scores retrieval_scores",
    "relevance": "reference_context_ids expected_ids relevant_ids relevant_docs relevant_doc_ids gold_ids",
    "language": "lang",
}

ALIASES: Mapping[str, str] = {alias: known for known, names in _NAMES.items() for alias in names.split()}
"""Name in another tool -> known column."""

RELEVANT_IDS = frozenset(_NAMES["relevance"].split())
"""Columns that list ids of relevant documents: a number in them is an id and no grade."""

DEEPEVAL_RETRIEVED = frozenset({"retrieval_context", "retrievalContext"})
"""Beside one of these, `context` is deepeval's: the passages that should have been retrieved."""

_NESTED: Mapping[str, frozenset[str]] = {
    "inputs": frozenset({"question"}),
    "outputs": frozenset({"answer", "contexts", "retrieved", "retrieved_scores"}),
    "expectations": frozenset({"references", "reference_contexts", "relevance"}),
}
"""Object in a row of mlflow -> the known columns within it."""


def known_name(source: str) -> str | None:
    """Return the known column that the name ``source`` means; None if it means none.

    >>> known_name("user_input"), known_name("Ground Truth"), known_name("用户问题"), known_name("topic")
    ('question', 'references', 'question', None)
    >>> known_name("inputs.question")
    'question'
    """
    group, dot, name = source.partition(".")
    if dot and group in _NESTED:
        known = "question" if source == "inputs.messages" else known_name(name)
        return known if known in _NESTED[group] else None
    if source in SCHEMA or source in ALIASES:
        return ALIASES.get(source, source)
    name = folded(source)
    return name if name in SCHEMA else ALIASES.get(name, HEADERS.get(name))


def own_names(names: Iterable[str]) -> dict[str, str]:
    """Return the mapping under which those of ``names`` that mean another, known column keep their names.

    >>> own_names(["gold", "references", "topic"])
    {'gold': 'gold'}
    """
    return {name: name for name in names if known_name(name) not in (None, name)}


class ColumnMap(NamedTuple):
    """Columns and their names in the source.

    ``sources``: column -> its name in the source; known columns first, then all others.
    ``notes``: a note for each column that was not read as a known one because another column was.
    """

    sources: Mapping[str, str]
    notes: tuple[str, ...]


def resolve(
    names: Sequence[str], mapping: Mapping[str, str], by_values: Mapping[str, str] = MappingProxyType({})
) -> ColumnMap:
    """Return the known columns among ``names``, and all others; ColumnError where it is not clear which is which.

    ``mapping``, the user's choice of a name for a known column, wins over every other rule. A name that is mapped to
    itself is kept. A name in it that is not among ``names`` may come with later rows. ``by_values``: names that do not
    say alone what they are -> the known column that their fields fit, if no other name is that column.

    >>> resolve(["user_input", "response", "topic"], {}).sources
    {'question': 'user_input', 'answer': 'response', 'topic': 'topic'}
    """
    chosen = {known if known == source else known_name(known) or known: source for known, source in mapping.items()}
    free = [name for name in names if name not in mapping.values()]
    passed_over: dict[str, str] = {}
    predicted = [name for name in _PREDICTED if name in free and "answer" in free and "answer" not in chosen]
    if predicted:
        free = [name for name in free if name not in ("answer", *predicted)]
        gold = {} if "references" in _candidates(free) else {"references": "answer"}
        chosen = {"answer": predicted[0]} | gold | chosen
    for known, candidates in _candidates(free).items():
        if known not in chosen:
            chosen[known] = _best(known, candidates)
        passed_over |= {name: known for name in candidates if name != chosen[known]}
    if by_values:
        _choose_by_values(by_values, chosen, passed_over)
    for doubtful, meaning in ((CONTEXT, _meaning_of_context), (EITHER_ANSWER, _meaning_of_answer)):
        for name in [one for one in free if one not in chosen.values() and folded(one) in doubtful][:1]:
            known = meaning(name, names, chosen)
            if known in chosen:
                passed_over[name] = known
            else:
                chosen[known] = name
    others = {name: name for name in names if name not in chosen.values() and name not in chosen}
    ordered = {name: chosen[name] for name in SCHEMA if name in chosen} | chosen | others
    there = set(names)
    sources = {name: source for name, source in ordered.items() if source in there}
    notes = []
    for source, known in passed_over.items():
        if known in sources:
            taken = f"there is a column {known}" if sources[known] == known else f"{sources[known]} was"
            notes.append(f"column {source} was kept but not read as {known}: {taken}")
    return ColumnMap(sources, tuple(notes))


def _choose_by_values(by_values: Mapping[str, str], chosen: dict[str, str], passed_over: dict[str, str]) -> None:
    for known in dict.fromkeys(by_values.values()):
        names = [name for name, meant in by_values.items() if meant == known and name not in chosen.values()]
        if known not in chosen and names:
            chosen[known] = _best(known, names)
        passed_over |= {name: known for name in names if name != chosen[known] and folded(name) not in CONTEXT}


def _candidates(names: Iterable[str]) -> dict[str, list[str]]:
    """Return known column -> the ``names`` that mean it."""
    candidates: dict[str, list[str]] = {}
    for name in names:
        known = known_name(name)
        if known is not None:
            candidates.setdefault(known, []).append(name)
    return candidates


def _best(known: str, candidates: Sequence[str]) -> str:
    """Return the column's own name, else the only one, spelled to the letter first; ColumnError for several."""
    spelled = [name for name in candidates if name in SCHEMA or name in ALIASES] or candidates
    if known in spelled:
        return known
    if len(spelled) > 1:
        maps = "\n".join(f"  {as_map(known, name)}" for name in spelled)
        raise ColumnError(
            "RG-DATA-003 {spelled} could both be {known}; choose one:\n{maps}", " and ".join(spelled), known, maps
        )
    return spelled[0]


def _meaning_of_context(context: str, names: Iterable[str], chosen: Mapping[str, str]) -> str:
    """Return the known column that ``context`` is: deepeval's gold passages, or what RGB and Phoenix retrieved."""
    if "reference_contexts" in chosen or not DEEPEVAL_RETRIEVED.isdisjoint(names):
        return "reference_contexts"
    if "contexts" in chosen:
        return "contexts"
    retrieved, wanted = (as_map(known, context) for known in ("contexts", "reference_contexts"))
    raise ColumnError(
        "RG-DATA-001 column {context} is ambiguous: in some data it holds what was retrieved, in others what "
        "should have been; choose one:\n  {retrieved} for the passages that the system retrieved\n  {wanted} "
        "for the passages that it should have retrieved",
        context,
        retrieved,
        wanted,
    )


def _meaning_of_answer(name: str, _names: Iterable[str], chosen: Mapping[str, str]) -> str:
    """Return the known column that an "answer" of either kind is: that of answer and references which is absent."""
    absent = [known for known in ("answer", "references") if known not in chosen]
    if len(absent) < 2:
        return absent[0] if absent else "answer"
    system, right = (as_map(known, name) for known in absent)
    raise ColumnError(
        "RG-DATA-002 column {name} is ambiguous: it may hold the system's answers or the right ones; choose "
        "one:\n  {system} for what the system answered\n  {right} for what it should have answered",
        name,
        system,
        right,
    )


def check_mapping(mapping: Mapping[str, str], names: Sequence[str]) -> None:
    """Raise ColumnError where the user's mapping names a column that is not among ``names``, those of all rows."""
    for known, source in mapping.items():
        # Who reads a column under its own name says that it is absent.
        if source not in names and source not in own_names([known]):
            reversed_pair = known in names and known_name(source) is not None
            hint = f"; did you mean {as_map(source, known)}?" if reversed_pair else did_you_mean(source, names)
            raise ColumnError(
                "RG-DATA-004 {argument}: the data have no column {source!r}{hint}", as_map(known, source), source, hint
            )


def as_map(known: str, source: str) -> str:
    """Return the argument ``map`` that reads column ``source`` as ``known``, for messages.

    >>> as_map("contexts", "docs")
    "map={'contexts': 'docs'}"
    """
    return f"map={{{known!r}: {source!r}}}"


# In the order in which they are tried: a "gold answer" is a reference and no answer.
_WORDS: Mapping[str, str] = {
    "references": r"gold|truth|reference|expected|correct|standard|ideal|target|label|should|wanted"
    r"|应该|应当|期望|预期|理想|标准|参考|正确|真实|标答|標準|參考|正確|模範|参照|정답|모범|эталон|правильн|答案",
    "contexts": r"context|passage|found|chunk|doc|retriev|evidence|source|snippet"
    r"|上下文|检索|召回|片段|文档|资料|依据|檢索|検索|文書|문맥|검색|документ|контекст",
    "answer": r"answer|response|output|reply|generat|predict|completion|result|^bot|said|assistant"
    r"|机器人|助手|模型|回答|答复|回复|输出|响应|生成|應答|출력|답|ответ|إجابة|उत्तर|ตอบ",
    "question": r"question|query|prompt|ask|input|^q$|问|提问|問|질문|вопрос|запрос|سؤال|प्रश्न|ถาม",
    "failure": r"^(errors?|exception|error_(message|msg|text)|错误|错误信息|报错|失败原因|錯誤"
    r"|エラー|오류|ошибка|خطأ|त्रुटि|ข้อผิดพลาด)$",
    "language": r"^lang|locale|语言|语种|語言|言語|언어|язык",
}


class Proposal(NamedTuple):
    """The probable meaning of a file's columns.

    ``columns``: their names. ``known``: known column -> name, where it is certain. ``guessed``: the same, by a word in
    the name. ``split``: column -> the probable separator of its texts.
    """

    columns: tuple[str, ...]
    known: Mapping[str, str]
    guessed: Mapping[str, str]
    split: Mapping[str, str]


def known_for_certain(names: Sequence[str]) -> dict[str, str]:
    """Return known column -> name where it is certain; a column with several candidates is left out."""
    chosen = {}
    for known, candidates in _candidates(names).items():
        with suppress(ColumnError):
            chosen[known] = _best(known, candidates)
    return chosen


def guessed(columns: Mapping[str, Sequence[Any]], known: Mapping[str, str]) -> dict[str, str]:
    """Return known column -> the name of a column that is not ``known`` but has a fitting word and fitting fields."""
    chosen: dict[str, str] = {}
    for name, words in _WORDS.items():
        free = [one for one in columns if one not in known.values() and one not in chosen.values()]
        fitting = [one for one in free if re.search(words, folded(one)) and _holds(columns[one], name)]
        if name not in known and name not in columns and fitting:
            chosen[name] = fitting[0]
    return {name: chosen[name] for name in (*SCHEMA, "failure") if name in chosen}


def _holds(values: Sequence[Any], name: str) -> bool:
    """Return whether the fields fit the column: texts, or for passages and references also lists."""
    kinds = (str, list) if name in ("contexts", "references") else (str,)
    return any(value is not None for value in values) and all(
        value is None or isinstance(value, kinds) for value in values
    )
