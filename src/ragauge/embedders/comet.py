"""A COMET model that lies in a folder, read by unbabel-comet without a network."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ragauge.embedders.base import Loading, model_identity, quiet_loading, shared
from ragauge.errors import MissingExtraError, UsageError, excerpt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragauge.core.ragged import FloatArray

_FILES = ("hparams.yaml", "checkpoints/model.ckpt")


@dataclass(frozen=True)
class CometModel(Loading):
    """A model of unbabel-comet: its folder has ``hparams.yaml`` and ``checkpoints/model.ckpt``."""

    folder: str
    device: str = "auto"  # or cpu, cuda ...
    batch: int = 16  # samples of a forward pass, of about the same length

    @cached_property
    def signature(self) -> str:
        """The name of the folder and the digest of its files."""
        return model_identity(self.folder)

    @property
    def reads(self) -> tuple[bool, bool]:
        """Whether the model can do without references, and whether it can read them."""
        segments = self._network.hparams.get("input_segments")
        without = not self._network.requires_references()
        return without, "ref" in segments if segments else not without

    def scores(self, samples: Sequence[Mapping[str, str]]) -> FloatArray:
        """Return the score of each of m samples with ``src``, ``mt`` and, if the model reads it, ``ref``: (m,)."""
        values = np.empty(len(samples))
        order = np.argsort([sum(map(len, one.values())) for one in samples], kind="stable").tolist()
        for first in range(0, len(order), self.batch):
            part = order[first : first + self.batch]
            inputs = self._network.prepare_for_inference([dict(samples[place]) for place in part])
            inputs = self._network.transfer_batch_to_device(inputs, self._network.device, 0)
            values[part] = self._network.predict_step(inputs)["scores"].double().cpu().numpy()
        return values

    @cached_property
    def _network(self) -> Any:
        absent = [name for name in _FILES if not Path(self.folder, name).is_file()]
        if absent:
            raise UsageError(
                "RG-EMB-017 {folder!r} is not the folder of a COMET model: it lacks {absent}. Download one where "
                "there is a network, as in: hf download Unbabel/wmt22-comet-da --local-dir FOLDER",
                self.folder,
                ", ".join(absent),
            )
        return shared(_load, self.folder, self.device)


def _load(folder: str, device: str) -> Any:
    try:
        from comet.models import load_from_checkpoint
    except ImportError as error:
        absent = "unbabel-comet" if error.name in (None, "comet", "comet.models") else str(error.name)
        raise MissingExtraError.of("comet", absent, "comet") from None
    import torch

    default = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        with quiet_loading():
            model = load_from_checkpoint(str(Path(folder, _FILES[1])), local_files_only=True)
        return model.eval().requires_grad_(requires_grad=False).to(default if device == "auto" else device)
    except Exception as error:
        raise UsageError(
            "RG-EMB-018 cannot load the COMET model {folder!r}: {reason}. The encoder that its hparams.yaml names as "
            "pretrained_model must be a folder, or be in the cache of the hub, as after: hf download xlm-roberta-large",
            folder,
            excerpt(error),
        ) from error
