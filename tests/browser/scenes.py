"""What a reader does with reports, in scenes: a report, a screen, and steps of which each is named.

Together they are to run every line of the report's scripts, and to show what each of them is for.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import ragauge
from tests.browser.odd import odd_samples
from tests.browser.reader import Reader
from tests.reports.kinds import three_runs
from tests.reports.runs import FACTS, make_result, rows

METRICS = ("ndcg@1", "mrr", "token-f1", "groundedness", "answer-correctness", "column:name=latency,direction=lower")
DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 800}
Step = tuple[str, Callable[[Reader], Any]]


class Scene(NamedTuple):
    """A report and what is done there."""

    report: Callable[[Path], Path]
    """Writes the report into a folder."""
    steps: tuple[Step, ...]
    screen: dict[str, int] = DESK
    fragment: str = "#sort=data"


def pressed(*keys: str) -> Step:
    return f"press {' '.join(keys)}", lambda reader: reader.press(*keys)


def typed(*keys: str) -> Step:
    """Press keys in the search, which waits for more of them."""
    return f"type {' '.join(keys)}", lambda reader: reader.press(*keys)


def chosen(label: str, option: str) -> Step:
    return f"choose {label}: {option}", lambda reader: reader.choose(label, option)


def clicked(word: str) -> Step:
    find = f"#samples button:is([data-text='samples.{word}'], [data-text-label='samples.{word}'])"
    return f"click {word}", lambda reader: reader.page.locator(find).first.click()


def clicked_at(selector: str, place: int = 0) -> Step:
    """Click one of the elements, wherever on the page; one that cannot be seen is clicked all the same."""
    name = f"click {selector} {place}".replace("  ", " ")
    return name, lambda reader: reader.page.locator(selector).nth(place).dispatch_event("click")


def ordered(value: str) -> Step:
    return f"order {value}", lambda reader: reader.page.locator("#samples-order").select_option(value)


def opened(name: str) -> Step:
    return f"open {name}", lambda reader: reader.open(name)


def searched(text: str) -> Step:
    return f"search {text}", lambda reader: reader.search(text)


def sorted_by(name: str) -> Step:
    return f"sort {name}", lambda reader: reader.sort(name)


def marked(place: int) -> Step:
    return f"click sentence {place}", lambda reader: reader.sample.locator(".sentence").nth(place).click()


def limited(number: str) -> Step:
    return f"threshold {number}", lambda reader: reader.page.get_by_label("threshold").fill(number)


def run(script: str) -> Step:
    return script, lambda reader: reader.page.evaluate(script)


def gone_to(address: str) -> Step:
    return f"address {address}", lambda reader: reader.page.evaluate("to => { location.hash = to }", address)


def resized(screen: dict[str, int]) -> Step:
    return f"width {screen['width']}", lambda reader: reader.page.set_viewport_size(screen)


def saved(kind: str) -> Step:
    """Save the listed samples; what is returned is recorded."""

    def text(reader: Reader) -> str:
        with reader.page.expect_download() as found:
            reader.page.locator(f"[data-format={kind}]").click()
        return f"{found.value.suggested_filename}\n{Path(found.value.path()).read_bytes().decode()}"

    return f"save {kind}", text


def language(code: str) -> Step:
    return f"language {code}", lambda reader: reader.page.locator("#interface-language").select_option(code)


def theme() -> Step:
    return "dark or light", lambda reader: reader.page.locator("#theme").click()


def one_run(folder: Path) -> Path:
    result = make_result(rows(16, tuple(FACTS), skill=0.4), METRICS, by=["topic"])
    return ragauge.report(result, folder / "one.html", metric="ndcg@1", force=True)


def many_runs(folder: Path) -> Path:
    return ragauge.report(three_runs(), folder / "three.html", names=["first", "second", "third"], force=True)


def long_list(folder: Path) -> Path:
    samples = [
        {
            "id": f"s{i}",
            "question": f"number {i} of {i % 700}",
            "answer": "even" if i % 2 == 0 else None,
            "v": i % 97 / 97,
        }
        for i in range(1300)
    ]
    return ragauge.report(
        make_result(samples, ("column:name=v,low=0,high=1",), resamples=0), folder / "long.html", force=True
    )


ONE: tuple[Step, ...] = (
    opened("q3"), marked(0), marked(1), pressed("j"), pressed("k", "k"), pressed("Escape"),
    pressed("ArrowDown", "Enter"), clicked("next"), clicked("previous"), clicked("close"), pressed("End"),
    pressed("Home", "ArrowUp", "ArrowRight"),
    searched("钢琴"), searched("no sample has this"), saved("CSV"), clicked("reset"),
    chosen("Status", "something failed"),
    opened("q7"), chosen("Status", "any"), chosen("topic", "music"), saved("CSV"), saved("JSONL"), clicked("reset"),
    pressed("Escape"), sorted_by("mrr"), sorted_by("mrr"), sorted_by("mrr"),
    language("zh"), theme(),
)  # fmt: skip
CONTROLS: tuple[Step, ...] = (
    chosen("Order", "worst"), chosen("Order", "best"), sorted_by("Id"), sorted_by("Id"), chosen("Order", "as in"),
    sorted_by("Question"), chosen("Metric", "mrr"), chosen("comparison", "at least"), limited("0.5"), limited("1"),
    chosen("comparison", "below"), saved("CSV"), limited(""), chosen("Metric", "latency"),
    chosen("Status", "all scored"),
    chosen("Status", "something undefined"), chosen("Status", "something missing"), clicked("reset"),
    clicked_at("#samples summary"), ("hide mrr", lambda reader: reader.page.locator(".chooser label").nth(1).click()),
    ("show latency", lambda reader: reader.page.locator(".chooser label").last.click()),
    sorted_by("latency"), saved("JSONL"), clicked_at("#samples summary"), pressed("Escape"),
    ("the menu", lambda reader: reader.page.locator(".chooser summary").click()), clicked_at("h1"),
    ("the menu again", lambda reader: reader.page.locator(".chooser summary").click()), pressed("Shift+Tab"),
    ("the menu once more", lambda reader: reader.page.locator(".chooser summary").click()), pressed("Escape"),
    run("document.querySelectorAll('.chooser :checked').forEach((box) => box.click())"),
    ("focus a row", lambda reader: reader.grid.locator("[data-index='2']").focus()), pressed("Control+ArrowDown"),
    pressed("ArrowDown"), pressed("PageDown"), pressed("PageUp"), pressed(" "), pressed("Control+j"),
    pressed("Alt+k"),
    pressed("Meta+Escape"), pressed("/"), typed("j", "k"), typed("Escape"), pressed("Escape"), pressed("Tab"),
    searched("ﾋﾟｱﾉ"), searched("the PIANO"), pressed("Enter"), clicked("reset"),
)  # fmt: skip
# Address -> the samples that it lists, those with the worst ndcg@1 first; q7 and q15 failed.
EVERY = "q0 q2 q6 q8 q9 q12 q13 q1 q3 q4 q5 q10 q11 q14 q7 q15"
BEST = "q1 q3 q4 q5 q10 q11 q14 q0 q2 q6 q8 q9 q12 q13 q7 q15"
LISTED_BY = {
    "#in.topic=music": "q9 q13 q1 q5",
    "#sample=q4": "q9 q13 q1 q5",
    "#sample=q1&sort=worst": EVERY,
    "#sort=down score mrr": BEST,
    "#sort=up question": "q8 q0 q12 q4 q13 q5 q6 q14 q7 q15 q3 q11 q10 q2 q9 q1",
    "#sort=best": BEST,
    "#sort=column": EVERY,
    "#sort=up nothing": EVERY,
    "#language=zh&status=ok": "q9 q1",
    "#without-language=1": EVERY,
    "#in.difficulty=2&search=piano": "",
    "#metric=mrr&test=above&threshold=0.5": "q1 q3 q4 q5 q10 q11 q14",
    "#metric=mrr&test=fell": EVERY,
    "#metric=nothing&threshold=0.5": EVERY,
    "#test=above": EVERY,
    "#column=score mrr&column=language": EVERY,
    "#column=-": EVERY,
    "#within=[0.25,0.5) 0 mrr": "",
    "#within=[0,1] 0 token-f1": "q3 q0 q6 q9 q12 q4 q13 q8 q14 q1 q2 q10 q5 q11",
    "#within=[0,0.5] 7 mrr": EVERY,
    "#within=[a,0.5] 0 mrr": EVERY,
    "#within=[0,1] 0 nothing": EVERY,
    "#within=0": EVERY,
    "#in.latency=0.083": "q0",
    "#in.nothing=1": EVERY,
    "#in.topic=none of these": "",
    "#without.topic=1": EVERY,
    "#status=failed&sample=q7": "q7 q15",
    "#sample=nobody": "q7 q15",
    "#samples": EVERY,
    "#groups": EVERY,
    "#%E0%A4%A&=&==": EVERY,
    "#search=%E9%92%A2%E7%90%B4": "",
    "#run=nobody": EVERY,
    "#view=answers": EVERY,
    "#only=differing": EVERY,
    "#lang=zh": EVERY,
}
ADDRESSES: tuple[Step, ...] = tuple(map(gone_to, LISTED_BY))
REST: tuple[Step, ...] = (
    gone_to("#in.latency=0.083&within=[-1,0.5] 0 mrr&sort=best"), clicked("remove"), clicked("remove"),
    language("zh"), gone_to("#sample=q2&within=[0,1] 0 mrr"), language("en"),
)  # fmt: skip
THREE: tuple[Step, ...] = (
    opened("q5"), opened("q7"), chosen("Compared with the first run", "second"), chosen("Metric", "token-f1"),
    chosen("comparison", "got worse"), chosen("comparison", "got better"), chosen("comparison", "at least"),
    limited("0.5"), opened("q2"), clicked("reset"), saved("CSV"), saved("JSONL"),
    ("another base", lambda reader: reader.page.locator("#base").select_option(index=1)),
    ("the last base", lambda reader: reader.page.locator("#base").select_option(index=2)),
    ordered("changed"), ordered("fell"), ordered("rose"), chosen("Order", "worst"),
    *[clicked_at(".head .change button", 0)] * 3,
    ("the first run", lambda reader: reader.choose("Compared with the first run", "third")),
    gone_to("#run=second&sort=fell"), gone_to("#run=first"), gone_to("#within=[0,0.5] 1 mrr:ties=input"),
    gone_to("#within=[0,0.5] 2 token-f1&run=second&sample=q3"), chosen("Status", "something missing"),
    chosen("Status", "all scored"), language("zh"),
)  # fmt: skip
# The list is out of sight.
LEAVE = "document.body.style.paddingBottom = '2000px'; scrollTo({ top: 1e6, behavior: 'instant' })"
DRAWN = "[data-show]:not(.cause-bar *)"
FIGURES: tuple[Step, ...] = (
    *(step for place in (0, 3, 20, 60) for step in (opened("q2"), run(LEAVE), clicked_at(DRAWN, place))),
    clicked_at("h1"),
    *(clicked_at("nav a", place) for place in (4, 6, 8, 9)), run("dispatchEvent(new Event('beforeprint'))"),
    ("dark colours of the system", lambda reader: reader.page.emulate_media(color_scheme="dark")), theme(), theme(),
    ("light ones", lambda reader: reader.page.emulate_media(color_scheme="light")), theme(),
)  # fmt: skip
ODD: tuple[Step, ...] = (
    opened("q0"), marked(0), marked(1), marked(2),
    ("support by b", lambda reader: reader.sample.locator("select").select_option("b")), marked(0), marked(1),
    clicked("more"), clicked("less"), run("document.querySelector('article').scrollTop = 300"), clicked("next"),
    *[pressed("j")] * 7, clicked("next"), clicked("close"), pressed("j"), saved("CSV"), saved("JSONL"),
    chosen("Order", "worst"), chosen("Order", "best"),
    run("document.querySelectorAll('.chooser input:not(:checked)').forEach((box) => box.click())"),
    sorted_by("words"), sorted_by("words"), sorted_by("kind"),
    chosen("kind", "none"), chosen("kind", "x"), chosen("Metric", "constructor"), chosen("comparison", "below"),
    limited("-1"), limited("0.5"), chosen("comparison", "got better"), clicked("reset"),
    sorted_by("many"), sorted_by("list"), clicked_at(".head .change button", 0), searched("red LONG"),
    clicked("reset"), searched("d9"),
    clicked("reset"), gone_to("#in.many=9&in.words=q2"), gone_to("#without.kind=1"), gone_to("#in.kind="),
    gone_to("#in.list=0&sort=up change b"), gone_to("#in.many=null"), clicked("reset"), language("zh"), opened("q6"),
)  # fmt: skip
# What a phone does where its reader goes back.
CANCELLED = run("String(document.querySelector('dialog').dispatchEvent(new Event('cancel', { cancelable: true })))")
PHONES: tuple[Step, ...] = (
    opened("q3"), clicked("next"), pressed("Escape"), clicked_at("[role=columnheader] button", 3),
    clicked_at("#samples .chooser summary"), *[clicked_at(".chooser label input", 2)] * 2,
    chosen("Metric", "token-f1"), opened("q1"),
    resized(DESK), resized(PHONE), CANCELLED, opened("q4"), clicked("close"),
    clicked_at("[role=columnheader] button"), pressed("End"),
    resized(DESK), opened("q5"),
    resized(PHONE), pressed("Escape"), theme(),
)  # fmt: skip
OUTPUTS: tuple[Step, ...] = (
    clicked("outputs"), chosen("Answers", "only differing"), saved("CSV"), chosen("Answers", "only regressions"),
    clicked_at("[data-index='1'] [aria-colindex='3']"), clicked("next"), pressed("Escape"), clicked("reset"),
    *[clicked_at(".head .output button", 1)] * 3, clicked_at(".head .asked button"), pressed("PageDown", "End"),
    chosen("Metric", "token-f1"), chosen("comparison", "got worse"), chosen("comparison", "got better"),
    ordered("worst"), ordered("best"), chosen("comparison", "at least"), limited("0.5"), clicked("reset"),
    resized(PHONE), clicked_at("[data-index='0'] [aria-colindex='2']"), clicked("close"), resized(DESK), language("zh"),
    clicked("outputs"), clicked("outputs"), gone_to("#view=answers&only=regressions&sort=fell&run=second"),
    gone_to("#only=differing&run=second"), gone_to("#view=nothing&only=nothing"),
)  # fmt: skip
LISTED: tuple[Step, ...] = (
    opened("s2"), clicked("close"), pressed("PageDown"), pressed("PageDown", "PageUp"), pressed("End"),
    pressed("ArrowUp"),
    pressed("Home"), searched("OF 699"), typed("Escape"), gone_to("#sample=s640"), pressed("j"), pressed("k", "k"),
    pressed("Escape"), run("document.querySelector('.grid').scrollTop = 20000"), pressed("ArrowDown"),
    gone_to("#sort=best&sample=s96"), clicked("next"), gone_to("#in.answer=even"), chosen("Order", "worst"),
)  # fmt: skip
SCENES = {
    "one": Scene(one_run, ONE),
    "controls": Scene(one_run, CONTROLS),
    "addresses": Scene(one_run, (*ADDRESSES, *REST)),
    "three": Scene(many_runs, THREE),
    "outputs": Scene(many_runs, OUTPUTS),
    "figures": Scene(many_runs, FIGURES, fragment="#groups&sort=data"),
    "odd": Scene(odd_samples, ODD, fragment=""),
    "phone": Scene(one_run, PHONES, PHONE),
    "long": Scene(long_list, LISTED, DESK, "#sort=data"),
}
