"""Chinese end to end: corpus, tokenizer, retrieval, re-ranking, answers, scores, comparison and a report in Chinese.

中文从头到尾：中文语料、分词、检索、重排、生成、评测、比较，以及中文报告。

    python examples/chinese.py
    python examples/chinese.py --embedding BAAI/bge-small-zh-v1.5
"""

import argparse
import json
from pathlib import Path

import ragauge
from rag.chunking import chunks
from rag.corpus import passages, questions
from rag.embedding import LatentSemantic, SentenceModel
from rag.generating import NOTHING, Extractive
from rag.pipeline import Rag
from rag.reranking import lexical
from rag.searching import Index
from ragauge.tokenizers import get

FOLDERS = sorted((Path(__file__).parent.parent / "corpora").glob("*/zh"))
METRICS = ["hit-rate@1:undefined=skip", "ndcg@5:undefined=skip", "rouge-l", "chrf", "semantic-similarity"]

parser = argparse.ArgumentParser(description="中文 RAG 评测示例")
parser.add_argument("--embedding", metavar="MODEL", help="sentence-transformers 的中文模型；默认不需要任何模型")
parser.add_argument("-o", "--output", type=Path, default=Path("runs-zh"), help="结果保存在哪里")
asked = parser.parse_args()

# 一、系统：按中文句子切块，向量放进 FAISS，找到的块再按字的组合重排，最后从段落里摘一句作答。
corpus = passages(FOLDERS)
cut = list(chunks(corpus))
texts = [chunk.text for chunk in cut]
index = Index(cut, SentenceModel(asked.embedding) if asked.embedding else LatentSemantic(texts))
generator = Extractive(lexical, NOTHING["zh"])
systems = {"first": Rag(index, generator), "reranked": Rag(index, generator, lexical)}

# 二、评测：lang="zh" 让每个指标都用中文分词。没有答案的问题没有可检索的段落，所以 undefined=skip。
tasks = questions(FOLDERS)
print(f"{len(corpus)} 个段落，{len(cut)} 块，{len(tasks)} 个问题\n")
runs = {
    name: ragauge.evaluate(tasks, METRICS, system=system, lang="zh", evidence=True) for name, system in systems.items()
}
for name, result in runs.items():
    result.save(asked.output / name, force=True)
print(runs["reranked"])

# 三、为什么要分词：同样两句话，英文工具删去所有汉字，得 0 分。
answer, reference = "运费十二元，明天上午送到。", "加急配送运费十二元，第二天下午送到。"
print("\n分词：", " / ".join(get("zh").tokens(answer)))
for tokenizer in ("rouge-score", "char", "zh"):
    score = ragauge.score(f"rouge-l:tokenizer={tokenizer}", answer=answer, references=[reference])
    print(f"rouge-l，分词器 {tokenizer}：{score:.3f}")

# 四、比较：重排之前和之后，逐题配对；▲ 变好，▼ 变差，≈ 样本还不足以下结论。
print("\n重排之前（base）和之后（new）：\n")
print(ragauge.compare(asked.output / "first", asked.output / "reranked"))

# 五、报告：一个网页文件，不联网也能打开，界面是中文。同样的答案也写成 JSONL，供命令行 ragauge score --lang zh 使用。
report = ragauge.report(
    [asked.output / name for name in runs],
    asked.output / "report.html",
    names=["重排之前", "重排之后"],
    language="zh",
    force=True,
)
columns = ["id", "language", "question", "references", "relevance", "retrieved", "contexts", "answer"]
with (asked.output / "answers.jsonl").open("w", encoding="utf-8") as lines:
    for row in runs["reranked"].to_arrow().select(columns).to_pylist():
        lines.write(json.dumps(row, ensure_ascii=False) + "\n")
print(f"\n报告：{report}")
