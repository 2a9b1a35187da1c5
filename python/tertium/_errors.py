"""What can go wrong, as exceptions that know the places."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Optional

if TYPE_CHECKING:
    from ._report import Report


@dataclass(frozen=True)
class Place:
    """A stretch of text; lines and columns are counted from 1."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """One message: what is wrong, where, why, and what to do about it."""

    severity: str
    code: str
    message: str
    places: List[Place] = field(default_factory=list)
    notes: List[str] = field(default_factory=list)
    help: List[str] = field(default_factory=list)

    def __str__(self) -> str:
        place = self.places[0] if self.places else None
        where = f"{place.file}:{place.line}:{place.column}: " if place else ""
        advice = "".join(f"\n  help: {text}" for text in self.help)
        return f"{where}{self.severity}[{self.code}]: {self.message}{advice}"


class TertiumError(Exception):
    """There is no answer. ``document`` is what ``tertium --format json`` writes then."""

    def __init__(self, message: str, document: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message)
        self.document = document or {}


class InputError(TertiumError):
    """A model, a formula or an option is refused; ``diagnostics`` say where and why."""

    def __init__(self, document: Dict[str, Any]) -> None:
        error = document["error"]
        self.diagnostics: List[Diagnostic] = [_diagnostic(entry) for entry in error["diagnostics"]]
        texts = [str(entry) for entry in self.diagnostics if entry.severity == "error"]
        super().__init__("\n".join(texts) or error["message"], document)

    @property
    def code(self) -> Optional[str]:
        """The code of the first error."""
        return next((entry.code for entry in self.diagnostics if entry.severity == "error"), None)

    @property
    def place(self) -> Optional[Place]:
        """The place of the first error that has one."""
        errors = (entry for entry in self.diagnostics if entry.severity == "error")
        return next((entry.places[0] for entry in errors if entry.places), None)


class Cancelled(TertiumError):
    """Somebody has cancelled the check. ``report`` has what was decided before, if it could be told in time."""

    def __init__(self, report: Optional["Report"]) -> None:
        super().__init__("the check was cancelled")
        self.report = report


def _diagnostic(entry: Dict[str, Any]) -> Diagnostic:
    places = [Place(**place) for place in entry["places"]]
    return Diagnostic(entry["severity"], entry["code"], entry["message"], places, entry["notes"], entry["help"])


def error_of(text: str) -> TertiumError:
    """The exception for a document about a failure."""
    document = json.loads(text)
    error = document["error"]
    if error["kind"] in ("input", "usage"):
        return InputError(document)
    return TertiumError(error["message"], document)
