"""A system by the name of its module and function, as the command line names it."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from ragauge.errors import OptionError, UnknownNameError, UsageError

_FORM = "module:function, as in app:answer or src/app.py:answer"


def loaded(spec: str) -> Any:
    """Return what ``spec`` names: ``module:function``, ``module:object.method`` or ``path/file.py:function``.

    Modules are looked for in the folder of the process first, as ``python -m`` does.

    Raises:
        UsageError: the module cannot be imported, or has nothing of that name.

    >>> loaded("math:sqrt")(9)
    3.0
    """
    source, colon, names = spec.rpartition(":")
    if not (colon and source and all(name.isidentifier() for name in names.split("."))):
        raise OptionError.value("evaluate", "system", _FORM, spec)
    place: Any = _imported(source)
    for name in names.split("."):
        public = [one for one in dir(place) if not one.startswith("_")]
        if not hasattr(place, name):
            raise UnknownNameError.of(f"name in {source}:", name, public)
        place = getattr(place, name)
    return place


def _imported(source: str) -> ModuleType:
    path = Path(source)
    folder = str(path.parent.resolve() if path.suffix == ".py" else Path.cwd())
    if folder not in sys.path:
        # It stays there: the module may import others when it is called.
        sys.path.insert(0, folder)
    try:
        return _from_file(path) if path.suffix == ".py" else import_module(source)
    except ModuleNotFoundError as error:
        if error.name and source.split(".", maxsplit=1)[0] == error.name.split(".")[0]:
            message = f"there is no module {source!r} in this folder, and none is installed"
            raise UsageError(f"{message}; name the file, as in src/app.py:answer") from error
        raise _broken(source, error) from error
    except FileNotFoundError as error:
        if error.filename != str(path):
            raise _broken(source, error) from error
        raise UsageError(f"{source}: file not found") from error
    except Exception as error:
        raise _broken(source, error) from error


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise FileNotFoundError(2, "file not found", str(path))
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a module")
    module = module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _broken(source: str, error: Exception) -> UsageError:
    return UsageError(f"{source} cannot be imported: {type(error).__name__}: {error}")
