"""The site is built, every link on it leads somewhere, and no page asks anything of another server."""

from __future__ import annotations

import re
import tarfile
import tomllib
from pathlib import Path

import pytest
from docs.generator.site import ARCHIVE, REPORT

from tests.docs.blocks import DOCS, ROOT, site_pages
from tests.docs.site import Page, external, read, target

pytest.importorskip("zensical", reason="no zensical: pip install '.[docs]'")


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[Path, Page]:
    # The page for what is not found stands for any address, so that its links begin at the root of a server.
    # The report of the example is a page of its own, whose tests are those of reports.
    ours = [path for path in sorted(site.rglob("*.html")) if path.name not in ("404.html", REPORT)]
    return {path.resolve(): read(path) for path in ours}


def test_every_page_is_built(site: Path, pages: dict[Path, Page]) -> None:
    sources = {path.relative_to(DOCS) for path in site_pages()}
    assert {path.relative_to(site.resolve()) for path in pages} == {path.with_suffix(".html") for path in sources}


def test_pages_tell_their_language(site: Path, pages: dict[Path, Page]) -> None:
    """A screen reader and a search engine take a page below ``zh`` for Chinese, and its labels are Chinese."""
    for path in pages:
        chinese = path.relative_to(site.resolve()).parts[0] == "zh"
        text = path.read_text(encoding="utf-8")
        assert re.findall('<html lang="([^"]*)"', text) == ["zh" if chinese else "en"], path.name
        assert ('aria-label="查找"' in text) is chinese, path.name
        tabs = re.findall(r'class="md-tabs__link">\s*(.*?)\s*</a>', text, re.DOTALL)
        assert (tabs == ["开始", "选择", "食谱", "指标", "迁移"]) is chinese, path.name


def test_each_page_leads_to_the_other_language(site: Path, pages: dict[Path, Page]) -> None:
    """From a page in English to the same one in Chinese where there is one, else to the Chinese home page; and back."""
    root = site.resolve()
    for path in pages:
        here = path.relative_to(root)
        chinese = here.parts[0] == "zh"
        wanted = root.joinpath(*here.parts[1:]) if chinese else root / "zh" / here
        wanted = wanted if wanted in pages else root / "zh" / "index.html"
        [found] = re.findall(r'<a href="([^"]+)" hreflang=', path.read_text(encoding="utf-8"))
        assert target(path, found)[0] == wanted, path.name


def test_links_lead_somewhere(pages: dict[Path, Page]) -> None:
    broken = []
    for page in pages.values():
        for url in page.links:
            path, anchor = target(page.path, url)
            if external(url):
                continue
            if not path.exists() or (anchor and path in pages and anchor not in pages[path].anchors):
                broken.append(f"{page.path.name}: {url}")
    assert broken == []


def test_the_list_for_language_models_leads_to_pages(site: Path, pages: dict[Path, Page]) -> None:
    text = (site / "llms.txt").read_text(encoding="utf-8")
    listed = re.findall(r"\]\(([^)]+)\)", text)
    assert {(site / path).with_suffix(".html").resolve() for path in listed} == set(pages)
    assert [path for path in listed if not (site / path).is_file()] == []


def test_what_pages_load_is_there_and_ours(pages: dict[Path, Page]) -> None:
    for page in pages.values():
        for url in page.loads:
            assert not external(url), f"{page.path.name} loads {url}"
            path = target(page.path, url)[0]
            assert path.exists(), f"{page.path.name} loads {url}, which is not there"
            assert path.stat().st_size > 0


def test_styles_load_nothing_from_elsewhere(site: Path) -> None:
    styles = list(site.rglob("*.css"))
    assert styles
    for style in styles:
        urls = re.findall(r"(?:url\(|@import\s+)[\"']?([^\"')]+)", style.read_text(encoding="utf-8"))
        assert [url for url in urls if external(url)] == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        '<a href="none.html">x</a><a href="#here">y</a><img src="//elsewhere.example/x.png">', encoding="utf-8"
    )
    page = read(path)
    assert [target(path, url)[0].exists() for url in sorted(page.links)] == [True, False]
    assert page.anchors == set()
    assert [external(url) for url in page.loads] == [True]


def test_the_archive_has_all_that_pip_builds_from(site: Path) -> None:
    with tarfile.open(site / ARCHIVE) as archive:
        names = set(archive.getnames())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    built = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    wanted = [project["project"]["readme"], *project["project"]["license-files"], built["hooks"]["custom"]["path"]]
    assert {f"ragauge/{name}" for name in ("pyproject.toml", *wanted, *built["packages"])} <= names
    sources = {
        path.relative_to(ROOT) for folder in ("src", "native") for path in (ROOT / folder).rglob("*") if path.is_file()
    }
    assert {f"ragauge/{path.as_posix()}" for path in sources if "__pycache__" not in path.parts} <= names
    assert [name for name in names if "__pycache__" in name] == []
