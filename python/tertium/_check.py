"""What can be asked of a model."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Protocol, Tuple, Union

from . import _tertium
from ._errors import Cancelled, InputError, TertiumError, error_of
from ._report import Report, Run
from ._structure import Structure

# The solver's library comes with the package; `TERTIUM_Z3` names another one.
_tertium.look_for_solver_in(os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))

Model = Union[str, "os.PathLike[str]", Structure]


class Cancellation(Protocol):
    """Whatever can say that a check is not wanted any more: a ``threading.Event``, for example."""

    def is_set(self) -> bool:
        """Whether it is not wanted any more."""


@dataclass(frozen=True)
class Progress:
    """What a check is doing: ``kind`` is ``phase``, ``states`` or ``answer``."""

    kind: str
    #: The phase, or the name of the property that was answered.
    text: str
    #: How many states were found.
    states: Optional[int] = None
    #: The value of the property that was answered.
    value: Optional[str] = None


def _model(model: Optional[Model], text: Optional[str], language: Optional[str]) -> Tuple[str, Optional[Tuple[str, str, str]]]:
    """The file as the command line names it, and the text if there is one already."""
    if (model is None) == (text is None):
        raise TypeError("give a model: a path or a Structure, or text=... with language=...")
    if isinstance(model, Structure):
        return "-", (model.name, "json", model.to_json())
    if text is not None:
        if language is None:
            raise TypeError("a model that is given as text needs language='gcl', 'promela', 'kmts', 'json' or 'aut'")
        return "-", ("<text>", language, text)
    path = os.fspath(model)  # type: ignore[arg-type]
    # A path that begins with a dash is no option, and none is standard input.
    return (os.path.join(".", path) if path.startswith("-") else path), None


def _words(path: str, language: Optional[str], defines: Optional[Mapping[str, Any]]) -> List[str]:
    words = [path]
    if language is not None:
        words.append(f"--language={language}")
    for name, value in (defines or {}).items():
        words += ["-D", f"{name}={int(value) if isinstance(value, bool) else value}"]
    return words


def _listed(given: Union[str, Iterable[str], Mapping[str, str], None]) -> List[str]:
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping):
        return [f"{name}: {formula}" for name, formula in given.items()]
    return list(given)


def _options(options: Mapping[str, Any]) -> List[str]:
    """Options of the command line by their names: ``max_states=100`` is ``--max-states=100``, ``fair=True`` is ``--fair``."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        for one in values:
            if one is True:
                words.append(option)
            elif one is not None and one is not False:
                words.append(f"{option}={one}")
    return words


def _bytes(memory: Union[None, int, str]) -> Optional[int]:
    if memory is None or isinstance(memory, int):
        return memory
    units = {"K": 10, "M": 20, "G": 30, "T": 40}
    digits = memory.strip().upper().removesuffix("B").removesuffix("I")
    shift = units.get(digits[-1:], 0)
    return int(float(digits[:-1] if shift else digits) * (1 << shift))


def _is_notebook() -> bool:
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and getattr(found, "kernel", None) is not None


def check(
    model: Optional[Model] = None,
    *,
    text: Optional[str] = None,
    language: Optional[str] = None,
    properties: Union[str, Iterable[str], Mapping[str, str], None] = None,
    only: Union[str, Iterable[str], None] = None,
    logic: Optional[str] = None,
    defines: Optional[Mapping[str, Any]] = None,
    timeout: Optional[float] = None,
    memory: Union[None, int, str] = None,
    progress: Optional[Callable[[Progress], None]] = None,
    cancel: Optional[Cancellation] = None,
    page: Optional[bool] = None,
    **options: Any,
) -> Report:
    """Decides properties of a model, as the command ``tertium check`` does.

    :param model: the path of a file, or a :class:`Structure`; or ``text`` with its ``language``
    :param properties: formulas, ``"NAME: FORMULA"``, or a mapping from names to formulas; all of the model's own without any
    :param only: names of the model's properties
    :param defines: values of constants (guarded commands) or macros (Promela)
    :param timeout: seconds; what is not decided by then is unknown, with ``stopped``
    :param memory: bytes, or a text such as ``"4G"``
    :param progress: called with a :class:`Progress` while the check goes on
    :param cancel: a ``threading.Event`` or the like; once it is set, :class:`Cancelled` is raised
    :param page: whether the page is made, too; by default in notebooks
    :param options: other options of ``tertium check``: ``engine="symbolic"``, ``fair=True``, ``max_states=1000``
    :raises InputError: if the model, a formula or an option is refused
    """
    path, given = _model(model, text, language)
    words = _words(path, given[1] if given else language, defines)
    words += [f"--property={formula}" for formula in _listed(properties)]
    words += [f"--only={name}" for name in _listed(only)]
    words += [] if logic is None else [f"--logic={logic}"]
    words += _options(options)
    listener = None if progress is None else _listener(progress)
    wants_page = _is_notebook() if page is None else page
    found, document, html, cancelled = _tertium.check(words, given, wants_page, listener, cancel, timeout, _bytes(memory))
    report = Report(json.loads(document), html) if found and document is not None else None
    if cancelled:
        raise Cancelled(report)
    if report is None:
        raise error_of(document or "")
    return report


def _listener(progress: Callable[[Progress], None]) -> Callable[[str, str, Optional[str]], None]:
    def listen(kind: str, text: str, value: Optional[str]) -> None:
        if kind == "states":
            progress(Progress(kind, f"{text} states", states=int(text)))
        else:
            progress(Progress(kind, text, value=value))

    return listen


def properties(
    model: Optional[Model] = None,
    *,
    text: Optional[str] = None,
    language: Optional[str] = None,
    defines: Optional[Mapping[str, Any]] = None,
) -> List[Dict[str, str]]:
    """What can be asked of a model: dictionaries with ``name``, ``formula`` and ``logic``. Decides nothing."""
    path, given = _model(model, text, language)
    words = _words(path, given[1] if given else language, defines)
    found, document = _tertium.properties(words, given)
    if not found:
        raise error_of(document)
    return list(json.loads(document)["properties"])


def simulate(
    model: Optional[Model] = None,
    *,
    text: Optional[str] = None,
    language: Optional[str] = None,
    steps: int = 20,
    seed: int = 0,
    watch: Union[str, Iterable[str], None] = None,
    defines: Optional[Mapping[str, Any]] = None,
    timeout: Optional[float] = None,
) -> Run:
    """Runs a program by chance; the same seed takes the same steps."""
    path, given = _model(model, text, language)
    words = _words(path, given[1] if given else language, defines)
    words += [f"--steps={steps}", f"--seed={seed}", *(f"--watch={expression}" for expression in _listed(watch))]
    found, document = _tertium.simulate(words, given, timeout)
    if not found:
        raise error_of(document)
    report = json.loads(document)
    return Run(report["run"], ending=report.get("ending"), watched=report.get("watched"))


def format(text: str, *, name: str = "<text>") -> str:
    """Guarded commands, laid out."""
    found, document = _tertium.format(name, text)
    if not found:
        raise error_of(document)
    return document


def explain(code: str) -> str:
    """What a message means and what to do about it.

    :raises KeyError: if there is no such code
    """
    found = _tertium.explain(code)
    if found is None:
        raise KeyError(code)
    return found


__all__ = ["Cancellation", "InputError", "Model", "Progress", "TertiumError", "check", "explain", "format", "properties", "simulate"]
