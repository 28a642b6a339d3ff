"""What people write above their columns, in many languages and spellings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from unicodedata import normalize

# Bare words for an answer that can be the system's as well as the right one (Chinese 答案) are not here.
_HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "question": "user_question user_query "
        "问题 提问 用户问题 用户提问 用户输入 查询 問題 使用者問題 質問 ユーザーの質問 질문 사용자_질문 вопрос запрос "
        "سؤال السؤال प्रश्न คำถาม",
        "answer": "model_answer model_response model_output llm_answer llm_response bot_answer system_answer "
        "generated_response "
        "回答 模型回答 系统回答 回复 模型回复 系统回复 模型输出 模型答案 生成答案 生成回答 预测答案 模型輸出 系統回答 "
        "モデルの回答 답변 응답 모델_답변 ответ ответ_модели إجابة الإجابة उत्तर คำตอบ",
        "references": "correct_answer standard_answer ideal_answer gold_response golden_answer reference_response "
        "参考答案 标准答案 正确答案 期望答案 期望回答 参考回答 真实答案 參考答案 標準答案 正確答案 正解 参照回答 "
        "模範解答 정답 모범_답안 참조_답변 эталонный_ответ правильный_ответ эталон الإجابة_المرجعية संदर्भ_उत्तर "
        "คำตอบอ้างอิง",
        "contexts": "retrieved_chunks retrieved_content "
        "检索上下文 检索内容 检索结果 检索片段 检索文档 召回内容 召回结果 召回片段 召回文档 召回上下文 檢索內容 "
        "檢索結果 検索結果 検索文書 검색_결과 검색_문서 найденные_документы найденные_фрагменты",
        "reference_contexts": "标准上下文 参考上下文 标准片段 参考片段 参考文档",
        "language": "语言 语种 語言 言語 언어 язык اللغة भाषा ภาษา",
    }
)


def folded(name: str) -> str:
    """Write a header as names are written: small, with one underscore between words.

    >>> folded("User Input"), folded("groundTruth"), folded(" Ground-Truth "), folded("问题")
    ('user_input', 'ground_truth', 'ground_truth', '问题')
    """
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", normalize("NFKC", name).strip())
    return re.sub(r"[\s_-]+", "_", apart).lower()


HEADERS: Mapping[str, str] = MappingProxyType(
    {folded(header): known for known, headers in _HEADERS.items() for header in headers.split()}
)
"""Header, as `folded` writes it -> known column."""

CONTEXT = frozenset(
    map(folded, ["context", "上下文", "文脈", "コンテキスト", "문맥", "컨텍스트", "контекст", "السياق", "संदर्भ", "บริบท"])
)
"""Headers of passages that do not say whether they are what was retrieved, or what should have been."""
