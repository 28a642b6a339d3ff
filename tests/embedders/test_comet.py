"""Models of COMET in folders: loaded without a network, equal to unbabel-comet's own ``predict``; what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ragauge.embedders.comet import CometModel
from ragauge.errors import MissingExtraError, UsageError
from tests.embedders.comet_models import KINDS, models

pytestmark = pytest.mark.filterwarnings("default")

SAMPLES = [
    {"src": source, "mt": answer, "ref": truth}
    for source, answer, truth in [
        ("猫 坐 在 垫子 上", "the cat sat on the mat .", "a cat sat on a mat ."),
        ("狗", "a dog ran", "the dog ran ."),
        ("猫 坐", "", "the cat sat"),
        ("狗 在 垫子 上", "the dog sat on a mat . the cat ran", "a dog on the mat ."),
    ]
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return models(tmp_path_factory.mktemp("comet"))


@pytest.mark.parametrize("kind", KINDS)
def test_equal_to_their_predict(folder: Path, kind: str) -> None:
    import comet.models

    theirs = comet.models.load_from_checkpoint(str(folder / kind / "checkpoints" / "model.ckpt"), local_files_only=True)
    expected = theirs.predict(SAMPLES, batch_size=2, gpus=0, progress_bar=False)["scores"]
    for batch in (1, 2, 16):
        found = CometModel(str(folder / kind), "cpu", batch).scores(SAMPLES)
        np.testing.assert_allclose(found, expected, atol=2e-6)
    assert len(set(np.round(expected, 5))) == len(SAMPLES)


def test_it_says_what_it_reads_and_names_its_content(folder: Path) -> None:
    reads = {kind: CometModel(str(folder / kind), "cpu").reads for kind in KINDS}
    wanted = {
        "regression": (False, True),
        "referenceless": (True, False),
        "unified": (True, True),
        "kiwi": (True, False),
    }
    assert reads == wanted
    signatures = {CometModel(str(folder / kind)).signature for kind in KINDS}
    assert {one.partition("@")[0] for one in signatures} == set(KINDS)


def test_loading_is_quiet(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    own = models(tmp_path / "made")
    capfd.readouterr()
    assert len(CometModel(str(own / "unified"), "cpu").scores(SAMPLES)) == len(SAMPLES)
    assert capfd.readouterr() == ("", "")


def test_an_encoder_that_is_not_there(folder: Path, tmp_path: Path) -> None:
    own = models(tmp_path / "made")
    (own / "encoder").rename(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match=r"cannot load the COMET model .* as pretrained_model must be a folder"):
        CometModel(str(own / "regression"), "cpu").scores(SAMPLES)


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"it lacks hparams.yaml, checkpoints/model.ckpt. Download one"):
        CometModel("Unbabel/wmt22-comet-da").scores(SAMPLES)
    (tmp_path / "hparams.yaml").touch()
    with pytest.raises(UsageError, match=r"it lacks checkpoints/model.ckpt"):
        CometModel(str(tmp_path)).scores(SAMPLES)


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "comet.models", None)
    (tmp_path / "checkpoints").mkdir()
    for name in ("hparams.yaml", "checkpoints/model.ckpt"):
        (tmp_path / name).touch()
    with pytest.raises(MissingExtraError, match=r"comet needs unbabel-comet, .* pip install 'ragauge\[comet\]'"):
        CometModel(str(tmp_path)).scores(SAMPLES)
