"""What is imported by its name: optional libraries, and files of users."""

from __future__ import annotations

import ast
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Message
from ragauge.errors import (
    MissingExtraError,
    OptionError,
    UnknownNameError,
    UsageError,
    alternatives,
    excerpt,
    is_interrupt,
)


def require(feature: str, extra: str, *modules: str) -> None:
    """Raise MissingExtraError unless all ``modules``, which ``extra`` brings, are installed; none is imported."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise MissingExtraError.of(feature, " and ".join(missing), extra)


def release(distribution: str) -> str:
    """Return the version of an installed distribution."""
    from importlib.metadata import version

    return version(distribution)


_INSTALLED = ("site-packages", "dist-packages")
"""Folders that hold packages of many authors."""
_IN_CODE = lazy_pattern(r"(?:[^=\[\]]+\.py|(?!\d)\w+(?:\.(?!\d)\w+)*):(?!\d)\w+(?:\.(?!\d)\w+)*", re.DOTALL)
CheckCode: TypeAlias = Callable[[str, Path | None], None]
"""Takes what names code, and the file that it is in, None for a module; raises an error where it must not run."""
_check: ContextVar[CheckCode] = ContextVar("_check", default=lambda _spec, _file: None)


@contextmanager
def checking_code(check: CheckCode) -> Iterator[None]:
    """Call ``check`` before `loaded` imports anything: for specs that somebody else wrote, as in a saved run."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def refuse_code(spec: str, _file: Path | None) -> None:
    """Raise UnknownNameError for whatever names code, as `checking_code` takes it: nothing is run."""
    raise UnknownNameError("{spec} is in code, which is not run here", spec)


_check_of_runs: ContextVar[CheckCode] = ContextVar("_check_of_runs", default=refuse_code)


@contextmanager
def allowing_code_of_runs(check: CheckCode) -> Iterator[None]:
    """Run code that a saved run names, where ``check`` raises no error; else none is, as the run may be another's."""
    token = _check_of_runs.set(check)
    try:
        yield
    finally:
        _check_of_runs.reset(token)


def checking_code_of_runs() -> AbstractContextManager[None]:
    """Return `checking_code` of what `allowing_code_of_runs` was given."""
    return checking_code(_check_of_runs.get())


def is_in_code(spec: str) -> bool:
    """Return whether a spec names something in a Python file or module, which is run to get it.

    >>> is_in_code("checks.py:polite"), is_in_code("checks:polite"), is_in_code("bleu:order=2"), is_in_code("ndcg@10")
    (True, True, False, False)
    """
    return _IN_CODE.fullmatch(spec.strip()) is not None


def loaded(spec: str, option: str, form: str) -> Any:
    """Return what ``spec`` names: ``module:function``, ``module:object.method`` or ``path/file.py:function``.

    Modules are looked for in the folder of the process first, as ``python -m`` does. A file is imported once, and again
    where it has changed since, under a name that no other module has.

    Args:
        spec: the name.
        option: of `ragauge.evaluate`, which takes such a name; for messages.
        form: an example of one, likewise, such as ``app:answer or src/app.py:answer``.

    Raises:
        OptionError: it is no such name.
        UsageError: the module cannot be imported, or has nothing of that name.

    >>> loaded("math:sqrt", "system", "app:answer")(9)
    3.0
    """
    source, colon, names = spec.strip().rpartition(":")
    if not (colon and source and all(name.isidentifier() for name in names.split("."))):
        raise OptionError.value("evaluate", option, Message("module:function, as in {form}", form), spec)
    _check.get()(spec, Path(source) if source.endswith(".py") else None)
    place: Any = _imported(source, form)
    for name in names.split("."):
        if not hasattr(place, name):
            public = [one for one in dir(place) if not one.startswith("_") and callable(getattr(place, one, None))]
            raise UnknownNameError.of(Message("name in {source}:", source), name, public)
        place = getattr(place, name)
    return place


def object_at(place: str) -> Any:
    """Return what ``module:name`` or ``file.py:name`` names, and of a class an object; errors as of `loaded`."""
    value = loaded(place, "ingredient", alternatives(("app:function", "app.py:function")))
    return value() if isinstance(value, type) else value


def _imported(source: str, form: str) -> ModuleType:
    path = Path(source)
    is_file = path.suffix == ".py"
    if is_file and not path.is_file():
        raise UsageError("RG-CORE-005 {source}: file not found; name what is in a file as in {form}", source, form)
    folder = str(path.parent.resolve() if is_file else Path.cwd())
    if folder not in sys.path:
        # It stays there: the module may import others when it is called.
        sys.path.insert(0, folder)
    try:
        return imported_file(path) if is_file else import_module(source)
    except ModuleNotFoundError as error:
        if error.name and source.split(".", maxsplit=1)[0] == error.name.split(".")[0]:
            raise UsageError(
                "RG-CORE-006 there is no module {source!r} in this folder, and none is installed; name it as in {form}",
                source,
                form,
            ) from error
        raise broken(source, error) from error
    except BaseException as error:
        # A script that ends in sys.exit(0) must not end this process with success.
        if is_interrupt(error):
            raise
        raise broken(source, error) from error


def imported_files() -> list[str]:
    """Return the paths of the files that `loaded` has imported, for other processes to import them."""
    files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
    return [file for name, file in files.items() if file is not None and name.startswith(_module_in(file))]


def imported_file(path: Path) -> ModuleType:
    """Import a file by its whole path and its time, so that it takes the place of no module of the same name."""
    name = f"{_module_in(path.resolve())}{path.stat().st_mtime_ns}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a module")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _module_in(file: str | Path) -> str:
    """Return how the names of modules begin that are in a file; a dot in it would make a package of what is before."""
    return f"{Path(file).stem} in {file} of ".replace(".", ",")


def with_imports(files: Iterable[Path]) -> set[Path]:
    """Return Python files and what they import from their own folders or packages, and so on.

    Imports are read from the text, also those within functions. Packages that are installed beside others are not
    searched: their versions are known.
    """
    files_read: set[Path] = set()
    waiting = [file.resolve() for file in files]
    while waiting:
        file = waiting.pop()
        if file not in files_read:
            files_read.add(file)
            waiting += _imports(file)
    return files_read


def _imports(file: Path) -> Iterator[Path]:
    """Yield the files that ``file`` names in its imports and that lie where its own package or folder does."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    root = file.parent
    while (root / "__init__.py").is_file() and root != root.parent:
        root = root.parent
    own = file.relative_to(root).parts[0] if root.name in _INSTALLED else None
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named = [(root, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = root if not node.level else file.parents[min(node.level, len(file.parents)) - 1]
            stem = f"{node.module}." if node.module else ""
            named = [(above, f"{stem}{alias.name}") for alias in node.names]
        else:
            continue
        paths = [path for start, name in named for path in _files_of(start, name)]
        yield from (path for path in paths if own is None or path.is_relative_to(root / own))


def _files_of(start: Path, name: str) -> Iterator[Path]:
    """Yield the files of the module ``name``, and of the packages that it is in, that are there."""
    place = start
    for part in name.split("."):
        place = place / part
        yield from (path for path in (place / "__init__.py", place.with_name(f"{part}.py")) if path.is_file())


def broken(source: str, error: BaseException) -> UsageError:
    """Return the error of a module that cannot be imported: the file and line of its fault, and the reason."""
    kind, reason = type(error).__name__, str(error)
    places = places_of_users(error)
    missing = _missing_in(error)
    if missing is not None and str(missing) in reason:
        template = (
            "RG-CORE-039 {source} cannot be imported: {reason}; install the package that has it, for example: "
            "pip install {name}, or correct the name"
        )
        return UsageError(template, places[-1] if places else source, excerpt(str(missing)), missing.name)
    if isinstance(error, SyntaxError) and error.filename:
        places, reason = [f"{error.filename}:{error.lineno}"], error.msg
    return UsageError(
        "RG-CORE-004 {source} cannot be imported: {kind}: {reason}; correct it",
        places[-1] if places else source,
        kind,
        excerpt(reason),
    )


def _missing_in(error: BaseException) -> ModuleNotFoundError | None:
    """Return the error of a whole package that is missing, which others may have put in words of their own."""
    one: BaseException | None = error
    while one is not None and not (isinstance(one, ModuleNotFoundError) and one.name and "." not in one.name):
        one = (one.__cause__ or one.__context__) if isinstance(one, ImportError) else None
    return one


def places_of_users(error: BaseException) -> list[str]:
    """Return the places in files that users write, ``path:line``, through which an error came, the last one last."""
    return [f"{one.filename}:{one.lineno}" for one in traceback.extract_tb(error.__traceback__) if _own(one.filename)]


def _own(file: str) -> bool:
    """Return whether a file of a traceback is one that users write: not of Python, not installed, not this one."""
    from sysconfig import get_path

    return not (
        file.startswith(("<", get_path("stdlib"))) or file == __file__ or set(Path(file).parts) & set(_INSTALLED)
    )
