"""``ragauge view`` in a browser: a real server, and what a reader does with its pages."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from time import sleep
from typing import Any

import pytest

import ragauge
from ragauge.reports.viewer.server import RunServer
from ragauge.systems.answers import SystemAnswer, answer_file
from tests.browser.payloads import AWAY, PAYLOADS
from tests.browser.test_access import contrasts_in_dark_colours, findings
from tests.browser.test_hostile import ELEMENTS, FOREIGN, policy_off, watched
from tests.cli.test_view import viewing
from tests.conftest import SCREEN
from tests.reports.runs import make_run
from tests.reports.test_history import TAGS
from tests.reports.test_viewer import dated, serving

__all__ = ["policy_off", "watched"]
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 800}
METRICS = ("mrr", "token-f1", "column:name=latency,direction=lower")


class Viewer:
    """The viewer in a page of the browser, with everything that the page complained about or asked for."""

    def __init__(self, page: Any, server: RunServer) -> None:
        self.page, self.server = page, server
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._listeners = {
            "console": lambda one: self.complaints.append(one.text) if one.type in ("error", "warning") else None,
            "pageerror": lambda error: self.complaints.append(str(error)),
            "request": lambda request: self.requests.append(request.url),
        }
        for event, listener in self._listeners.items():
            page.on(event, listener)

    def leave(self) -> None:
        self.page.goto("about:blank")
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)

    def open(self, address: str = "", screen: Any = SCREEN) -> Viewer:
        self.page.set_viewport_size(screen)
        self.page.goto(self.server.address + address)
        return self

    def until(self, expression: str, seconds: float = 60) -> None:
        for _ in range(int(seconds * 20)):
            # A page that is being left answers nothing.
            with suppress(Exception):
                if self.page.evaluate(expression):
                    return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"still not so: {expression}")

    def compared(self) -> Viewer:
        """Wait until each run has its outcome."""
        waiting = "[data-text='view.outcome.waiting']"
        self.until(f"document.querySelector('#runs [data-run]') && !document.querySelector(\"{waiting}\")")
        return self

    # The name by which findings and contrasts ask for a colour.
    def colour(self, selector: str, name: str = "background-color") -> str:
        element = self.page.locator(selector).first
        return str(element.evaluate("(element, name) => getComputedStyle(element).getPropertyValue(name)", name))


@pytest.fixture(scope="session")
def saved(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight runs in eight scripts, one of them damaged, and one more of which answers come."""
    folder = tmp_path_factory.mktemp("viewer") / "runs"
    for place, name in enumerate(TAGS):
        make_run(folder / name, count=24, seed=place, skill=0.2 + place / 12, metrics=METRICS, by=[])
        dated(folder / name, f"2026-03-0{place + 1}T10:00:00+00:00")
    (folder / "damaged").mkdir()
    (folder / "damaged" / "manifest.json").write_text("{", encoding="utf-8")
    with answer_file(folder / "今天.answers.jsonl", "app", resume=False, questions=40) as file:
        for place in range(9):
            file.add(SystemAnswer(f"q{place}", "?", {"answer": "a"} if place else None, None if place else "timeout"))
    return folder


@pytest.fixture
def viewer(page: Any, saved: Path) -> Iterator[Viewer]:
    with serving(saved) as server:
        one = Viewer(page, server)
        yield one
        one.leave()
        assert one.complaints == []
        assert [url for url in one.requests if not url.startswith((server.address, "about:"))] == []


@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_overflows_and_no_label_is_clipped(viewer: Viewer, screen: Any, language: str):
    viewer.open(f"?language={language}", screen).compared()
    viewer.until("!document.getElementById('under-way').hidden")
    assert viewer.page.evaluate("document.documentElement.scrollWidth") == screen["width"]
    clipped = viewer.page.evaluate(
        "[...document.querySelectorAll('main :is(td, th, button, li, h2, p)')]"
        ".filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')"
        ".map(one => one.textContent)"
    )
    assert clipped == []


def test_nothing_serious_is_found_in_light_and_dark_colours(viewer: Viewer, axe: str):
    viewer.open().compared()
    assert findings(viewer, axe) == []
    assert contrasts_in_dark_colours(viewer) == []


def test_on_a_phone_in_chinese(viewer: Viewer, axe: str):
    viewer.open("?language=zh", PHONE).compared()
    assert findings(viewer, axe) == []
    assert "Samples" not in viewer.page.locator("main").inner_text()


def test_runs_are_opened_compared_and_left_again(viewer: Viewer):
    viewer.open().compared()
    viewer.page.get_by_role("link", name=TAGS[5], exact=True).click()
    viewer.until("performance.getEntriesByName('samples-open').length > 0")
    assert viewer.page.locator("h1").inner_text() == TAGS[5]
    viewer.page.get_by_role("link", name="All runs").click()
    compare = viewer.page.get_by_role("button", name="Compare")
    viewer.until("document.querySelector('#runs .bar button')?.disabled")
    for count, name in enumerate((TAGS[7], TAGS[0], TAGS[4]), 1):
        viewer.page.get_by_role("checkbox", name=name, exact=True).check()
        assert compare.is_enabled() == (count >= 2)
    compare.click()
    viewer.until("performance.getEntriesByName('samples-open').length > 0")
    assert viewer.page.locator("h1").get_attribute("title") == " → ".join([TAGS[0], TAGS[4], TAGS[7]])
    assert viewer.page.locator("#runs table").is_visible()
    viewer.page.go_back()
    viewer.until("document.querySelectorAll('#runs :checked').length === 3 || document.querySelector('#runs button')")


def test_all_is_done_by_keys(viewer: Viewer):
    viewer.open().compared()
    viewer.page.locator("#runs input[type=checkbox]").first.focus()
    viewer.page.keyboard.press("Space")
    # The name, what it changed, and the choice of the base stand between two boxes.
    for _ in range(4):
        viewer.page.keyboard.press("Tab")
    viewer.page.keyboard.press("Space")
    viewer.page.keyboard.press("Enter")
    viewer.until("performance.getEntriesByName('samples-open').length > 0")
    assert viewer.page.locator("h1 bdi").all_inner_texts() == [TAGS[6], TAGS[7]]


def test_the_language_goes_along(viewer: Viewer):
    viewer.open().compared()
    viewer.page.locator("#interface-language").select_option("zh")
    assert viewer.page.locator("h1").inner_text() == "运行"
    viewer.page.get_by_role("link", name=TAGS[5], exact=True).click()
    viewer.until("performance.getEntriesByName('samples-open').length > 0")
    assert viewer.page.evaluate("document.documentElement.lang") == "zh"
    viewer.page.get_by_role("link", name="全部运行").click()
    assert viewer.page.locator("h1").inner_text() == "运行"


@pytest.mark.parametrize("how", ["link", "form"])
def test_a_report_that_takes_long_is_told(viewer: Viewer, how: str, monkeypatch: pytest.MonkeyPatch):
    made = viewer.server.reports.page

    def late(*asked: Any) -> Any:
        sleep(1.5)
        return made(*asked)

    monkeypatch.setattr(viewer.server.reports, "page", late)
    viewer.open("?language=zh").compared()
    assert not viewer.page.locator("#making").is_visible()
    # The browser shows the list until the report is there, and no script of a test can look at it meanwhile.
    viewer.page.evaluate(
        """() => new MutationObserver(([change]) => {
          if (!change.target.hidden) sessionStorage.setItem("told", change.target.innerText);
        }).observe(document.getElementById("making"), { attributes: true, attributeFilter: ["hidden"] })"""
    )
    if how == "link":
        viewer.page.get_by_role("link", name=TAGS[5], exact=True).click()
    else:
        for name in TAGS[:2]:
            viewer.page.get_by_role("checkbox", name=name, exact=True).check()
        viewer.page.get_by_role("button", name="比较").click()
    viewer.until("performance.getEntriesByName('samples-open').length > 0")
    assert viewer.page.evaluate("sessionStorage.getItem('told')") == "正在生成报告。样本很多时要等几秒。"
    viewer.page.go_back()
    viewer.until("document.getElementById('making')?.hidden")


def test_what_cannot_be_read_says_why(viewer: Viewer):
    row = viewer.open().page.locator("#runs tr.damaged")
    assert "is damaged, or not the manifest of a run" in row.inner_text()
    assert row.locator("input").count() == 0


def test_progress_and_new_runs_come_by_themselves(page: Any, saved: Path, tmp_path: Path):
    shutil.copytree(saved / TAGS[0], tmp_path / "one")
    with serving(tmp_path) as server:
        viewer = Viewer(page, server).open()
        with answer_file(tmp_path / "two.answers.jsonl", "app", resume=False, questions=4) as file:
            file.add(SystemAnswer("q1", "?", {"answer": "a"}))
            viewer.until("document.getElementById('under-way').textContent.includes('1 of 4 questions')")
            file.add(SystemAnswer("q2", "?", {"answer": "a"}))
            viewer.until("document.getElementById('under-way').textContent.includes('2 of 4 questions')")
            assert page.locator("progress").get_attribute("value") == "2"
        page.get_by_role("checkbox", name="one", exact=True).check()
        make_run(tmp_path / "two", count=24, metrics=METRICS, by=[])
        viewer.until("!document.getElementById('changed').hidden")
        assert page.locator("#under-way").is_hidden()
        assert page.get_by_role("link", name="two", exact=True).count() == 0
        page.get_by_role("checkbox", name="one", exact=True).uncheck()
        viewer.until("document.querySelectorAll('#runs tbody tr').length === 2")
        viewer.leave()
        assert viewer.complaints == []


def test_a_viewer_that_has_ended_is_told(page: Any, saved: Path):
    with viewing(saved) as (process, address):
        page.goto(address)
        assert page.locator("#gone").is_hidden()
        process.kill()
        page.locator("#gone").wait_for(state="visible")
        assert "Start ragauge view again" in page.locator("#gone").inner_text()


def test_pages_of_other_sites_get_nothing(page: Any, saved: Path, tmp_path: Path):
    """Neither a picture, a script, a frame nor a request from another page, of a file or of another port."""
    other = tmp_path / "other.html"
    with serving(saved) as server:
        other.write_text(
            f"<!doctype html><script>window.got = []</script><iframe src='{server.address}'></iframe>"
            f"<img src='{server.address}state' onload='got.push(1)'>"
            f"<script src='{server.address}state' onload='got.push(2)'></script>"
            f"<script>fetch('{server.address}state').then(() => got.push(3), () => 0)</script>",
            encoding="utf-8",
        )
        page.goto(other.as_uri())
        page.wait_for_timeout(1000)
        assert page.evaluate("window.got") == []
        assert [frame.url for frame in page.frames[1:]] == ["chrome-error://chromewebdata/"]
        page.goto("about:blank")


CANARY = "window.__ran.length"


@pytest.mark.usefixtures("policy_off")
def test_hostile_names_and_errors_run_nothing(page: Any, tmp_path: Path):
    """Names of folders, which have a folder more for each slash, tags, answers, and what damaged runs say."""
    result = ragauge.evaluate([{"id": f"q{place}", "mark": float(place)} for place in range(12)], "column:name=mark")
    names = [str(PurePosixPath(text)) for text in PAYLOADS]
    for place, (name, text) in enumerate(zip(names, PAYLOADS, strict=True)):
        if place % 7 == 3:
            (tmp_path / name).mkdir(parents=True)
            manifest = json.dumps({"run": {"format": text, "ragauge": text}})
            (tmp_path / name / "manifest.json").write_text(manifest, encoding="utf-8")
        elif place % 7 == 5:
            with answer_file(tmp_path / f"{name}.answers.jsonl", text, resume=False, questions=9) as file:
                file.add(SystemAnswer(text, text, {"answer": text}))
        else:
            result.save(tmp_path / name, tag=text)
    with serving(tmp_path) as server:
        viewer = Viewer(page, server).open().compared()
        viewer.until("!document.getElementById('under-way').hidden")
        assert unharmed(page) > 60
        shown = page.locator("#runs tbody th > a, #runs tbody .damaged th, #under-way strong").all_text_contents()
        assert sorted(shown) == sorted(names)
        page.locator("#interface-language").select_option("zh")
        boxes = page.locator("#runs input[type=checkbox]")
        for place in range(3):
            boxes.nth(place).check()
        page.locator("#runs .bar button").click()
        viewer.until("performance.getEntriesByName('samples-open').length > 0")
        assert unharmed(page) > 60
        viewer.leave()
        assert [url for url in viewer.requests if url.startswith(AWAY)] == []
        assert viewer.complaints == []


def unharmed(page: Any) -> int:
    """Check that nothing ran and nothing was made; return how many elements there are."""
    assert page.evaluate(CANARY) == 0
    assert page.locator(FOREIGN.replace("form[action], ", "")).count() == 0
    names = page.evaluate(f"[...new Set({ELEMENTS}.flatMap(element => element.getAttributeNames()))]")
    assert [name for name in names if name.startswith("on")] == []
    targets = page.evaluate(f"{ELEMENTS}.map(e => e.getAttribute('href') ?? e.getAttribute('src') ?? '#')")
    assert {target[:1] for target in targets} <= {"#", "/"}
    return len(targets)


NAMES = "[...document.querySelectorAll('#runs tbody tr:not([hidden], .damaged) th > a')].map((one) => one.textContent)"


def test_headings_sort_the_search_narrows_and_the_address_keeps_both(viewer: Viewer):
    page = viewer.open().compared().page
    newest = page.evaluate(NAMES)
    assert newest == TAGS[::-1]
    heading = page.get_by_role("button", name="token-f1")
    cells = "[...document.querySelectorAll('#runs tbody tr:not(.damaged) td:nth-child(6)')]"
    values = f"{cells}.map((one) => Number(one.dataset.value))"
    heading.click()
    falling = page.evaluate(values)
    assert falling == sorted(falling, reverse=True)
    assert falling[0] > falling[-1]
    heading.click()
    assert page.evaluate(values) == sorted(falling)
    assert page.locator("#runs [aria-sort=ascending]").inner_text().startswith("token-f1")
    page.get_by_role("searchbox").fill(TAGS[3][:4].upper())
    assert page.evaluate(NAMES) == [TAGS[3]]
    address = page.url
    assert "sort=4%20turned" in address
    page.reload()
    viewer.compared()
    assert page.evaluate(NAMES) == [TAGS[3]]
    page.get_by_role("searchbox").fill("no such run")
    assert page.locator("#runs .empty").is_visible()
    page.get_by_role("searchbox").fill("")
    assert page.evaluate(values) == sorted(falling)
    heading.click()
    assert page.evaluate(NAMES) == newest


def test_a_run_is_the_base_of_all_until_it_is_not(viewer: Viewer):
    page = viewer.open().compared().page
    page.locator("#runs tr", has=page.get_by_role("link", name=TAGS[2], exact=True)).locator(".pin").click()
    viewer.compared()
    viewer.until("document.querySelectorAll('#runs .outcome [data-base]').length === 7")
    bases = "[...new Set([...document.querySelectorAll('#runs .outcome [data-base]')].map((one) => one.dataset.base))]"
    assert page.evaluate(bases) == [TAGS[2]]
    assert page.locator("#runs tr.base .outcome").inner_text() == "the base"
    row = page.locator("#runs tr", has=page.get_by_role("link", name=TAGS[0], exact=True))
    row.locator(".outcome a").first.click()
    viewer.until("performance.getEntriesByName('samples-open').length > 0")
    assert page.locator("h1 bdi").all_inner_texts() == [TAGS[2], TAGS[0]]
    page.go_back()
    viewer.compared()
    page.get_by_role("link", name="Compare with the run before").click()
    viewer.compared()
    assert page.locator("#runs tr.base").count() == 0


def test_a_tag_lists_the_runs_that_have_it(page: Any, saved: Path, tmp_path: Path):
    for name, tag in (("a", "reranked"), ("b", "plain"), ("c", "reranked")):
        ragauge.load(saved / TAGS[0]).save(tmp_path / name, tag=tag)
    with serving(tmp_path) as server:
        viewer = Viewer(page, server).open().compared()
        page.get_by_role("button", name="reranked").first.click()
        assert sorted(page.evaluate(NAMES)) == ["a", "c"]
        page.get_by_role("button", name="reranked").first.click()
        assert sorted(page.evaluate(NAMES)) == ["a", "b", "c"]
        viewer.leave()
        assert viewer.complaints == []


def test_a_label_of_an_answer_is_kept_and_taken_back(page: Any, saved: Path, tmp_path: Path, axe: str):
    for name in TAGS[:2]:
        shutil.copytree(saved / name, tmp_path / name)
    with serving(tmp_path) as server:
        viewer = Viewer(page, server).open().compared()
        for name in TAGS[:2]:
            page.get_by_role("checkbox", name=name, exact=True).check()
        page.get_by_role("button", name="Compare").click()
        viewer.until("performance.getEntriesByName('samples-read').length > 0")
        page.evaluate("location.hash = '#sample=q3'")
        good = page.locator("#samples .thumbs button[data-text='samples.thumb-good']")
        good.nth(1).click()
        viewer.until("document.querySelectorAll('#samples .thumbs [aria-pressed=true]').length === 1")
        kept = tmp_path / f"{TAGS[1]}.thumbs.jsonl"
        viewer.until("true")
        for _ in range(200):
            if kept.exists():
                break
            page.wait_for_timeout(20)
        [line] = kept.read_text(encoding="utf-8").splitlines()
        assert (json.loads(line)["id"], json.loads(line)["good"]) == ("q3", True)
        assert findings(viewer, axe, "#samples article") == []
        page.reload()
        viewer.until("document.querySelectorAll('#samples .thumbs [aria-pressed=true]').length === 1")
        good.nth(1).click()
        viewer.until("document.querySelectorAll('#samples .thumbs [aria-pressed=true]').length === 0")
        kept.unlink(missing_ok=True)
        kept.mkdir()
        good.nth(1).click()
        viewer.until("document.querySelector('#samples .thumbs [data-text=\"samples.thumb-lost\"]') !== null")
        assert page.locator("#samples .thumbs [aria-pressed=true]").count() == 0
        viewer.leave()
        assert [text for text in viewer.complaints if "422" not in text] == []
