"""``ragauge``: the group of commands, and its exit codes."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
import threading
import traceback
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib import import_module
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, cast

import rich_click as click
from click import exceptions

from ragauge._version import __version__
from ragauge.cli.examples import EXAMPLES, with_examples
from ragauge.cli.faces import flags_of, wants_codes, with_codes
from ragauge.cli.terminal import LANGUAGE_OPTION, LANGUAGE_VARIABLE, interface_language, language_of_file
from ragauge.core.loading import places_of_users
from ragauge.core.messages import Face, Message, own_words, wording_of
from ragauge.display.numbers import printable_lines
from ragauge.display.text import INTERFACES
from ragauge.errors import RagaugeError, UnknownNameError, UsageError, alternatives, did_you_mean, excerpt

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


_UNFORESEEN = 70
_DEBUG = "RAGAUGE_DEBUG"
_LONGEST = 300  # characters of an unforeseen error that are printed
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


class LazyGroup(click.RichGroup):
    """A group whose commands are modules of `ragauge.cli`; each is imported when it is called."""

    work: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "Begin": ("demo", "init", "questions", "metrics", "doctor"),
        "Measure": ("score", "ask"),
        "Look": ("explain", "report", "view", "compare", "repeats", "history", "exclude", "export"),
        "Decide": ("gate", "validate", "calibrate", "judgements", "power", "audit"),
        "Tools": ("tokenize", "fit-idf", "judge-cache", "mcp"),
    }
    """The commands in the order of work."""
    names: ClassVar = tuple(name for names in work.values() for name in names)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands."""
        return list(self.names)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; the error for an unknown name proposes another one."""
        if LANGUAGE_OPTION in " ".join(args):
            args = self._with_language(ctx, args)
        name = args[0]
        if name not in self.names and not name.startswith("-"):
            raise click.UsageError(_no_command(name, self.names), ctx)
        return super().resolve_command(ctx, args)

    def _with_language(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the arguments without --lang-ui, an option of the group that may follow a command too."""
        asking = click.Command(None, params=[param for param in self.params if param.name == "lang_ui"])
        settings: dict[str, Any] = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
        try:
            own = asking.make_context(ctx.info_name, list(args), **settings)
        except click.UsageError as error:
            error.ctx = ctx
            raise
        ctx.params |= {name: value for name, value in own.params.items() if value is not None}
        return own.args

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import the command called ``name``; its help is in the language of the context."""
        if name not in self.names:
            return None
        command = with_examples(with_codes(import_module(f"ragauge.cli.{name.replace('-', '_')}").command), name)
        return with_chinese_help(command) if (ctx.obj or {}).get("language") == "zh" else command


def _no_command(name: str, commands: Iterable[str]) -> str:
    if Path(name).is_file():
        return Message("unknown command {name!r}; to score that file: {command}", name, f"ragauge score {name}")
    if Path(name).is_dir():
        report = f"ragauge report {name} -o report.html"
        return Message("unknown command {name!r}; if it is a saved run: {command}", name, report)
    return UnknownNameError.of("command", name, commands).message


def with_chinese_help(command: click.Command) -> click.Command:
    """Return a command that is like ``command``, with its help in Chinese."""
    from ragauge.cli.faces import speaking

    return speaking(command)


def _words_of_click(language: str) -> AbstractContextManager[None]:
    if language != "zh":
        return nullcontext()
    from ragauge.cli.faces import click_in_chinese

    return click_in_chinese()


def _panels(command: Any) -> Any:
    """Give the help of ``command`` a panel for each step of the work."""
    for step, names in LazyGroup.work.items():
        command = click.command_panel(step, commands=list(names))(command)
    return command


@_panels
@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="ragauge %(version)s")
@click.option(
    LANGUAGE_OPTION,
    type=click.Choice(INTERFACES),
    envvar=LANGUAGE_VARIABLE,
    help="Language of tables and notes; default: lang-ui of ragauge.toml, or that of the locale.",
)
@click.pass_context
def group(context: click.Context, lang_ui: str | None) -> None:
    """Measure RAG systems and generated text: exact, offline, in any language."""
    if lang_ui is None and Path("ragauge.toml").is_file():
        language_of_file(Path("ragauge.toml"))
    context.ensure_object(dict)


class _Terminated(KeyboardInterrupt):
    """SIGTERM. Python ends a process by SIGINT, whatever its code, where a KeyboardInterrupt itself left `exec`."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code.

    Codes are 0 done, 1 gate failed, 2 usage, 3 bad data, 4 nothing scored, 5 gate not decided, 70 unforeseen error,
    130 interrupted, 143 terminated.
    """
    # Most objects live until the process ends: looking for cycles in them costs a fifth of a short command.
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)
    _open_streams()
    terminated = False
    typed = sys.argv[1:] if arguments is None else arguments
    language = interface_language(typed)

    def terminate(*_: Any) -> None:
        """End as Ctrl-C does, so that finished work is kept and told; a second signal ends it at once."""
        nonlocal terminated
        terminated = True
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        raise _Terminated

    before: Any = None
    if threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGTERM, terminate)
    with _words_of_click(language):
        try:
            spoken = with_chinese_help(group) if language == "zh" else group
            with_language = {"language": language}
            returned: Any = spoken.main(args=arguments, prog_name="ragauge", standalone_mode=False, obj=with_language)
            code = returned if isinstance(returned, int) else 0
            sys.stdout.flush()
        except click.ClickException as error:
            _write_error(error, language, typed)
            code = error.exit_code
        except (click.Abort, KeyboardInterrupt):
            word = "terminated" if terminated else "interrupted"
            click.echo(own_words(word, Face(language)), err=True)
            code = 128 + signal.SIGTERM if terminated else 130
        except RagaugeError as error:
            click.echo(printable_lines(_worded(error, typed, language)), err=True)
            code = error.exit_code
        except OSError as error:
            click.echo(printable_lines(f"error: {excerpt(str(error), 400)}"), err=True)
            code = RagaugeError.exit_code
            # Python would write what is left once more when it ends, and fail.
            if error.errno in _FULL and isinstance(sys.stdout, TextIOWrapper):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except BaseException as error:  # noqa: BLE001 - none may end with 1, the code of a failed gate, or 0 by an exit
            ended = _exit_of_click(error)
            code = _report(error) if ended is None else ended
    if before is not None:
        signal.signal(signal.SIGTERM, before)
    _end(code, whole=arguments is None)


def _end(code: int, *, whole: bool) -> None:
    """Exit; where the ``whole`` process is this command, without freeing each object: a twentieth of a short command.

    What is registered for the end is run. Where another thread still runs, or a debugger or profiler looks on, Python
    ends as it always does.
    """
    if whole and threading.active_count() == 1 and not (sys.gettrace() or sys.getprofile() or sys.flags.inspect):
        atexit._run_exitfuncs()  # noqa: SLF001 (no public name runs them)
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    sys.exit(code)


def _exit_of_click(error: BaseException) -> int | None:
    """Return the code with which click ended the command, as where its reader has gone away; None for any other."""
    if not isinstance(error, SystemExit) or not isinstance(error.code, int):
        return None
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    by = str(frame.f_globals.get("__name__")).partition(".")[0]
    return error.code if by in {"click", "rich_click"} else None


def _write_error(error: click.ClickException, language: str, typed: Sequence[str]) -> None:
    """Write an error of click below the usage of its command."""
    param = getattr(error, "param", None)
    if param is not None and param.name == "lang_ui" and not [one for one in typed if one.startswith(LANGUAGE_OPTION)]:
        template = "RG-CLI-026 the variable {language_variable} must be {allowed}; got {named!r}"
        named = os.environ.get(LANGUAGE_VARIABLE)
        problem = UsageError(template, LANGUAGE_VARIABLE, alternatives(INTERFACES), named)
        click.echo(printable_lines(_worded(problem, typed, language)), err=True)
        return
    error.message = printable_lines(own_words(error.message, Face(language)))  # type: ignore[misc]
    if isinstance(error, _HELP):
        error.show()
        return
    context = getattr(error, "ctx", None)
    if context is not None:
        usage = Message("Try {command} for help.", f"{context.command_path} --help").wording(Face(language))
        click.echo(f"{context.get_usage()}\n{usage}\n", err=True)
    click.echo(printable_lines(f"{own_words('error: ', Face(language))}{_of_click(error, Face(language))}"), err=True)


def _of_click(error: click.ClickException, face: Face) -> str:
    """Return the message of an error of click as ours are: in small letters, with a name or a call to type."""
    from difflib import get_close_matches

    context = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption) and context is not None:
        options = [one for param in context.command.params for one in (*param.opts, *param.secondary_opts)]
        # Without the dashes, in which all are alike.
        alike = get_close_matches(error.option_name.lstrip("-"), [one[2:] for one in options if one.startswith("--")])
        near = did_you_mean(error.option_name, [f"--{one}" for one in alike], otherwise="")
        return Message("no such option {name!r}{near}", error.option_name, near).wording(face)
    # click writes the choices of an option in lines of their own.
    message = " ".join(error.format_message().split())
    message = (message[:1].lower() + message[1:]).rstrip(".。")
    examples = EXAMPLES.get(context.command.name, ()) if context is not None else ()
    if isinstance(error, click.MissingParameter) and examples:
        message += Message("; for example: {call}", examples[0]).wording(face)
    return message


_HELP: Any = getattr(exceptions, "NoArgsIsHelpError", ())
"""The help in place of an error where there are no arguments; click 8.1 has no such error."""


def _worded(error: RagaugeError, typed: Sequence[str], language: str) -> str:
    """Return the message of an error as the command line writes it: with its flags, in the language of the user."""
    name = next((argument for argument in typed if argument in LazyGroup.names), "")
    shown = Face(language, flags_of(group.get_command(click.Context(group), name)))
    codes = f" [{', '.join(error.codes)}]" if error.codes and wants_codes(typed) else ""
    return f"{own_words('error: ', shown)}{wording_of(error.message, shown)}{codes}"


def _report(error: BaseException) -> int:
    """Write one line on an error that nobody foresaw; return the exit code, which is EX_SOFTWARE of sysexits.h."""
    if isinstance(error.__cause__, KeyboardInterrupt):  # Python 3.11 wraps what comes while a class is made
        click.echo("interrupted", err=True)
        return 130
    if os.environ.get(_DEBUG):
        traceback.print_exception(error)
    elif isinstance(error, MemoryError):
        click.echo("error: there is not enough memory. Score fewer rows at a time, as with --limit.", err=True)
    elif isinstance(error, RecursionError):
        click.echo("error: the input is nested too deeply to be read. Make it flat.", err=True)
    else:
        click.echo(f"error: {unforeseen(error)}", err=True)
    return _UNFORESEEN


def unforeseen(error: BaseException) -> str:
    """Return in words that an error is a fault of ragauge, or of a file of the user in which it came up."""
    text = "; ".join(filter(None, [str(error), *getattr(error, "__notes__", ())]))
    problem = printable_lines(excerpt(text, _LONGEST))
    kind, places = type(error).__name__, places_of_users(error)
    others = [place for place in places if not place.startswith(str(Path(__file__).parents[1]))]
    if others:
        return f"{kind} in {others[-1]}: {problem}. That file is no part of ragauge: correct it."
    message = f"unforeseen {kind}: {problem}. This is a fault in ragauge {__version__}."
    return f"{message} Report it to its authors with what {_DEBUG}=1 prints."


def _open_streams() -> None:
    """Make the standard streams such that writing text to them never fails; closed ones discard it."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            # Without this the next file that is opened would become the standard stream.
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r" if name == "stdin" else "w"))
        elif name != "stdin" and isinstance(stream, TextIOWrapper):
            # Characters that the terminal cannot write must not end the program.
            stream.reconfigure(errors="backslashreplace")
            # PYTHONUNBUFFERED leaves the file without a buffer.
            raw = getattr(stream.buffer, "raw", stream.buffer)
            if stream is getattr(sys, f"__{name}__") and type(raw) is FileIO:
                pipe = (_Notes if name == "stderr" else _Pipe)(stream.fileno(), "w", closefd=False)
                setattr(sys, name, _piped(stream, pipe, unbuffered=raw is stream.buffer))


class _Pipe(FileIO):
    """A stream whose reader may go away, as in ``ragauge metrics | head``: the rest is discarded, and all is well."""

    harmless: ClassVar[type[OSError]] = BrokenPipeError

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except self.harmless:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return memoryview(data).nbytes


class _Notes(_Pipe):
    """Standard error. A full disk there must not change the exit code, by which a gate passes or fails."""

    harmless = OSError


def _piped(stream: TextIOWrapper, pipe: FileIO, *, unbuffered: bool) -> TextIOWrapper:
    return TextIOWrapper(
        cast("BinaryIO", pipe if unbuffered else BufferedWriter(pipe)),
        stream.encoding,
        stream.errors,
        line_buffering=stream.line_buffering,
        write_through=unbuffered,
    )
