"""Files in other encodings than UTF-8: by their name, and told by the first bytes."""

from __future__ import annotations

import gzip
from pathlib import Path
from unicodedata import normalize

import pytest

import ragauge
from ragauge.core.batch import concatenated
from ragauge.errors import DataError, OptionError
from ragauge.formats import read
from ragauge.formats.encodings import clear_encoding, fits

ROWS = {
    "gb18030": "问题,回答\n谁在云南种茶？,林婉在云南种茶。\n",
    "gbk": "问题,回答\n谁在云南种茶？,林婉在云南种茶。\n",
    "big5": "問題,回答\n誰在雲南種茶？,林婉在雲南種茶。\n",
    "cp932": "質問,回答\n誰がお茶を作りますか？,リンさんです。\n",
    "cp949": "질문,답변\n누가 차를 재배하나요?,린완이 재배합니다.\n",
    "cp1251": "вопрос,ответ\nКто выращивает чай?,Линь Вань.\n",
    "koi8-r": "вопрос,ответ\nКто выращивает чай?,Линь Вань.\n",
    "cp1253": "ερώτηση,απάντηση\nΠοιος καλλιεργεί τσάι;,Η Λιν το καλλιεργεί.\n",
    "cp1255": "שאלה,תשובה\nמי מגדל את התה?,לין מגדלת אותו.\n",
    "cp1254": "soru,yanıt\nÇayı kim yetiştirdi?,Ayşe'nin kızı yetiştirdi.\n",
    "cp1250": "pytanie,odpowiedź\nKto sadził herbatę?,Zrobiła to późną wiosną.\n",
    "cp1256": "السؤال,إجابة\nمن يزرع الشاي؟,لين وان\n",
    "cp874": "คำถาม,คำตอบ\nใครปลูกชา,หลินหว่าน\n",
    "cp1252": "question,réponse\nQui cultive le thé ?,Lin Wan l’a planté.\n",
    "cp866": "вопрос,ответ\nКто выращивает чай?,Линь Вань.\n",
    "cp850": "Frage,Antwort\nWer hat größere Gärten für Tee?,Jürgen Müller.\n",
    "mac_roman": "Frage,Réponse\nWer züchtet übrigens größere Gärten?,Jürgen Müller à Lyon.\n",
    "euc_jp": "お茶の質問,答えです\n誰がお茶を作りますか？,リンさんです。\n",
    "johab": "질문,답변\n누가 차를 재배하나요?,린완이 재배합니다.\n",
    "utf-16": "प्रश्न,उत्तर\nचाय कौन उगाता है?,लिन वान\n",
}


@pytest.mark.parametrize("encoding", ROWS)
def test_an_encoding_that_is_named(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    path.write_bytes(ROWS[encoding].encode(encoding))
    data = read(path, encoding=encoding)
    assert f"read as {encoding} and not as UTF-8" in data.notes
    [row] = concatenated(data.batches()).table().drop_columns(["id"]).to_pylist()
    assert list(row.values()) == ROWS[encoding].splitlines()[1].split(",")


@pytest.mark.parametrize("encoding", ROWS)
@pytest.mark.parametrize("rows", [1, 1000])
def test_what_is_told_by_the_bytes(encoding: str, rows: int, tmp_path: Path) -> None:
    header, line = ROWS[encoding].splitlines()
    path = tmp_path / "qa.csv.gz"
    path.write_bytes(gzip.compress("\n".join([header, *[line] * rows]).encode(encoding)))
    if encoding in ("gb18030", "gbk", "utf-16"):
        data = read(path)
        told = "utf-16" if encoding == "utf-16" else "gb18030"
        assert data.notes[0] == f"read as {told} and not as UTF-8"
        assert data.rows == rows
    else:
        with pytest.raises(DataError, match="not UTF-8"):
            read(path)


@pytest.mark.parametrize("encoding", ["koi8-r", "cp866", "euc_jp", "johab", *(f"cp125{end}" for end in range(7))])
def test_an_alphabet_is_shown_in_its_own_encoding(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    path.write_bytes(ROWS[encoding].encode(encoding))
    with pytest.raises(DataError, match="not UTF-8") as caught:
        read(path)
    message = str(caught.value)
    line = ROWS[encoding].splitlines()[0]
    assert f"in {encoding} " in message
    assert line[:30] in message
    assert message.count("it reads") == 1
    assert f"as in encoding={encoding!r}" in message


_TEXTS = {
    "cp949": "누가 차를 재배합니까?\n언제 문을 엽니까?\n",
    "cp950": "誰在後院裏種茶？\n林婉在雲南種茶。\n",
    "cp932": "誰が茶を育てますか？\n安奈が茶を育てます。\n",
    "euc_jp": "誰がお茶を作りますか？\nリンさんです。\n",
    "cp874": "ใครปลูกชาที่ยูนนาน\nหลินหว่านปลูกชา\n",
    "cp1251": "Кто растит чай?\nЯна, с 1990 года.\n",
    "koi8-r": "Кто растит чай?\nЯна, с 1990 года.\n",
    "cp1252": "La 1ª pregunta, n.º 5?\nEl año pasado llovió.\n",
    "cp1254": "Çayı kim yetiştirdi?\nAyşe'nin kızı yetiştirdi.\n",
    "cp1250": "Hány éves a város?\nŐrült tűz ütött ki a hősök terén.\n",
    "cp1256": "من يزرع الشاي؟\nلين وان تزرع الشاي.\n",
    "cp1258": "Ai trồng chè ở đây?\nBà Lan trồng chè từ năm ngoái, trước mùa mưa ở Đà Lạt.\n",
}


def _in_windows(text: str) -> str:
    """Return Vietnamese as Windows writes it: tone marks are characters of their own."""
    letters = []
    for letter in normalize("NFC", text):
        marks = "".join(one for one in normalize("NFD", letter)[1:] if one in "\u0300\u0301\u0303\u0309\u0323")
        base = normalize("NFC", "".join(one for one in normalize("NFD", letter) if one not in marks))
        letters.append(letter if letter.encode("cp1258", "ignore") else base + marks)
    return "".join(letters)


@pytest.mark.parametrize("encoding", _TEXTS)
def test_one_encoding_alone_is_clear(encoding: str) -> None:
    lines = _in_windows(_TEXTS[encoding]).encode(encoding).splitlines()
    assert clear_encoding(lines) == encoding
    assert fits(encoding, lines)
    # What is clear at the beginning may be wrong behind it.
    assert not fits(encoding, [*lines, "茶".encode()])


def test_an_encoding_is_checked_in_all_lines() -> None:
    lines = _TEXTS["cp949"].encode("cp949").splitlines()
    assert fits("cp949", [b"question,answer", *lines * 1000])
    assert not fits("cp949", [*lines * 1000, b"\xff\xff"])


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Hvað? Það.", "cp1252"),
        ("iniziò", "cp1252"),
        ("Кто растит яблоню?\nЯна, с мая, и её семья.", "mac_cyrillic"),
        ("كم عدد المدن؟\nكانت هي الأولى في المدينة.", "iso8859-6"),
        ("질문", "cp949"),
    ],
)
def test_what_may_be_read_in_several_ways_or_none_is_not_clear(text: str, encoding: str) -> None:
    assert clear_encoding(text.encode(encoding).splitlines()) is None


@pytest.mark.parametrize("encoding", ["cp850", "mac_roman"])
def test_western_letters_of_dos_and_macs_are_shown_and_no_other_is_advised(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    path.write_bytes(ROWS[encoding].encode(encoding))
    with pytest.raises(DataError, match="not UTF-8") as caught:
        read(path)
    shown = next(line for line in ROWS[encoding].splitlines() if not line.isascii())
    assert f"in {encoding} (Western European) it reads {shown[:30]!r}" in str(caught.value)
    assert str(caught.value).endswith((f"encoding={encoding!r}", "encoding='NAME'"))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize(
    "text",
    [
        "question,answer\nWho?,Zoë\n",
        "问题,回答\n谁在云南种茶？,林婉在云南种茶。\n",
        "question,answer\nКто?,Анна\n",
        "问题,回答\n一　二,一\n",
        "سؤال,answer\nمن?,لين\n",
    ],
)
def test_utf_16_without_its_mark(encoding: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    path.write_bytes(text.encode(encoding))
    data = read(path)
    assert data.notes[0] == f"read as {encoding} and not as UTF-8"
    [batch] = data.batches()
    assert batch.column("answer").to_pylist() == [text.strip().rpartition(",")[2]]


def test_a_null_character_is_no_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    path.write_bytes("question,answer\nWho?\0,Zoë\0\n".encode())
    assert not [note for note in read(path).notes if note.startswith("read as")]


def test_traditional_characters_in_gb_18030_are_told(tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    path.write_bytes(ROWS["big5"].encode("gb18030"))
    data = read(path)
    assert data.notes[0] == "read as gb18030 and not as UTF-8"
    assert concatenated(data.batches()).column("answer").to_pylist() == ["林婉在雲南種茶。"]


def test_german_of_a_spreadsheet_is_shown_with_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "fragen.csv"
    path.write_bytes("Frage;Antwort\nWann öffnet „Öl & Tee“?;Um neun – für 5 €\n".encode("cp1252"))
    with pytest.raises(DataError, match=r"in cp1252 \(Western European\) it reads 'Wann öffnet „Öl & Tee“"):
        read(path)


def test_json_in_gb18030(tmp_path: Path) -> None:
    path = tmp_path / "qa.jsonl"
    path.write_bytes('{"问题": "谁在云南种茶？", "回答": "林婉在云南种茶。"}\n'.encode("gb18030") * 3)
    assert read(path).rows == 3
    whole = tmp_path / "qa.json"
    whole.write_bytes('[{"问题": "谁在云南种茶？", "回答": "林婉在云南种茶。"}]'.encode("gb18030"))
    assert read(whole).rows == 1


def test_utf_8_is_told_from_all_others(tmp_path: Path) -> None:
    for encoding, text in ROWS.items():
        path = tmp_path / f"{encoding}.csv"
        path.write_text(text, encoding="utf-8-sig")
        assert not [note for note in read(path).notes if note.startswith("read as")]


def test_a_wrong_name_or_a_wrong_encoding(tmp_path: Path) -> None:
    path = tmp_path / "qa.csv"
    path.write_bytes(ROWS["cp949"].encode("cp949"))
    with pytest.raises(OptionError, match="must be the name of an encoding of texts, such as gb18030"):
        read(path, encoding="klingon")
    with pytest.raises(OptionError, match="must be the name of an encoding of texts"):
        read(path, encoding="base64")
    with pytest.raises(DataError, match=r"qa.csv: is not text in ascii: .*; name another with encoding='NAME'"):
        read(path, encoding="ascii")
    with pytest.raises(OptionError, match="encoding='gbk' has no effect on data in memory; leave it out"):
        read([{"answer": "a"}], encoding="gbk")


def test_a_header_in_another_encoding_above_a_row_of_equal_fields(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes("Frage;Antwort;Referenz;Größe\nWer?;Anna;Anna;1,5\nWo?;Köln;Bonn;2,0\n".encode("cp1252"))
    data = ragauge.evaluate(str(file), "exact-match", resamples=0).data
    assert any("read as cp1252" in one for one in data.notes)
