"""What was found out, as objects."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional

if TYPE_CHECKING:
    import pandas

_COLOURS = {"true": "#1a7f37", "false": "#cf222e", "both": "#8250df"}
_OPEN = "#0969da"


class Run:
    """A run of a model: a counterexample, a witness, or a simulation.

    ``steps`` is a list of dictionaries. Each has the ``state``; of a program also its ``values``, and the ``step`` that led there (process, line, statement); of a
    structure its ``labels``.
    """

    def __init__(self, view: Dict[str, Any], *, ending: Optional[str] = None, watched: Optional[Dict[str, str]] = None) -> None:
        self.steps: List[Dict[str, Any]] = view["steps"]
        #: The index of the step to which the last one returns, for ever.
        self.loop_start: Optional[int] = view.get("loop_start")
        #: What goes wrong at the end: a fault, a deadlock.
        self.end: Optional[Dict[str, Any]] = view.get("end")
        #: How a simulation ended: ``fault``, ``limit``, ``deadlock``, ``finished``, or not at all.
        self.ending = ending
        #: The values of watched expressions at the end of a simulation.
        self.watched: Dict[str, str] = watched or {}

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return iter(self.steps)

    def rows(self) -> List[Dict[str, Any]]:
        """One flat dictionary per state: process, line and statement of the step that led there, then the values."""
        rows = []
        for number, step in enumerate(self.steps):
            taken = step.get("step") or {}
            row: Dict[str, Any] = {"step": number, "state": step["state"]}
            if step.get("values") is not None:
                row.update(process=taken.get("process"), line=taken.get("line"), statement=taken.get("statement"))
            row.update(step.get("values") or step.get("labels") or {})
            rows.append(row)
        return rows

    def to_pandas(self) -> "pandas.DataFrame":
        """The states as a frame, one row each; needs pandas."""
        import pandas

        return pandas.DataFrame(self.rows()).set_index("step")

    def _repr_html_(self) -> str:
        rows = self.rows()
        columns = list(rows[0]) if rows else []
        head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape('' if row.get(c) is None else str(row[c]))}</td>" for c in columns) + "</tr>"
            for row in rows
        )
        loop = "" if self.loop_start is None else f"<p>from step {self.loop_start} on it repeats for ever</p>"
        end = "" if self.end is None else f"<p>{html.escape(self.end['message'])}</p>"
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{loop}{end}"

    def __repr__(self) -> str:
        return f"<Run of {len(self.steps)} states>"


class Result:
    """What was found out about one property; ``document`` has all of it as the schema of reports says."""

    def __init__(self, document: Dict[str, Any]) -> None:
        self.document = document

    @property
    def name(self) -> str:
        """The property's name."""
        return str(self.document["name"])

    @property
    def formula(self) -> str:
        """The formula, or in words what every program is asked."""
        return str(self.document["formula"])

    @property
    def logic(self) -> str:
        """The logic's name."""
        return str(self.document["logic"])

    @property
    def value(self) -> str:
        """``true``, ``false``, ``unknown``, ``both``, or an element of the model's own lattice."""
        return str(self.document["value"])

    @property
    def holds(self) -> Optional[bool]:
        """True or False if the value is definite, None if it is not."""
        return {"true": True, "false": False}.get(self.value)

    @property
    def stopped(self) -> Optional[str]:
        """The limit that kept it from being decided: ``timeout``, ``memory`` or ``interrupted``."""
        stopped: Optional[str] = self.document["stopped"]
        return stopped

    @property
    def reasons(self) -> List[Dict[str, Any]]:
        """What keeps the value open, the deciding element first."""
        return list(self.document["reasons"])

    @property
    def evidence(self) -> Dict[str, Any]:
        """What shows the answer."""
        return dict(self.document["evidence"])

    @property
    def run(self) -> Optional[Run]:
        """The counterexample, or the witness of what exists, if there is one."""
        view = self.document["evidence"].get("run")
        return None if view is None else Run(view)

    @property
    def vacuous(self) -> bool:
        """Whether it holds for a reason that says little."""
        return bool(self.document["vacuous"])

    @property
    def engine(self) -> str:
        """The engine that decided, and by which technique."""
        provenance = self.document["provenance"]
        return f"{provenance['engine']}: {provenance['technique']}"

    @property
    def warnings(self) -> List[str]:
        """Remarks."""
        return [f"{warning['code']}: {warning['message']}" for warning in self.document.get("warnings", [])]

    def __repr__(self) -> str:
        stopped = f" (stopped: {self.stopped})" if self.stopped else ""
        return f"<{self.name}: {self.formula} is {self.value}{stopped}>"


class Report:
    """What was found out about a model: a sequence of :class:`Result`, also by name."""

    def __init__(self, document: Dict[str, Any], page: Optional[str] = None) -> None:
        #: Everything, as `check.schema.json` describes it.
        self.document = document
        #: The page as HTML, if it was made.
        self.page = page
        self.results: List[Result] = [Result(result) for result in document["results"]]

    @property
    def values(self) -> Dict[str, str]:
        """The value of each property by its name."""
        return {result.name: result.value for result in self.results}

    @property
    def value(self) -> str:
        """``false`` if some property is false, ``true`` if all are true, else ``unknown``."""
        values = {result.value for result in self.results}
        return "false" if "false" in values else "true" if values <= {"true"} else "unknown"

    @property
    def warnings(self) -> List[str]:
        """Remarks about the model."""
        return [f"{warning['code']}: {warning['message']}" for warning in self.document.get("warnings", [])]

    def __getitem__(self, name: "str | int") -> Result:
        if isinstance(name, int):
            return self.results[name]
        for result in self.results:
            if result.name == name:
                return result
        raise KeyError(name)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def rows(self) -> List[Dict[str, Any]]:
        """One flat dictionary per property."""
        return [
            {
                "name": result.name,
                "formula": result.formula,
                "logic": result.logic,
                "value": result.value,
                "stopped": result.stopped,
                "vacuous": result.vacuous,
                "engine": result.engine,
                "states": result.document["stats"]["states"],
                "time_ms": result.document["stats"]["time_ms"],
            }
            for result in self.results
        ]

    def to_pandas(self) -> "pandas.DataFrame":
        """The results as a frame, one row each; needs pandas."""
        import pandas

        return pandas.DataFrame(self.rows()).set_index("name")

    def _repr_html_(self) -> str:
        """The page, if it was made; else a table of the answers with their runs."""
        if self.page is not None:
            source = html.escape(self.page, quote=True)
            return f'<iframe srcdoc="{source}" style="width: 100%; height: 640px; border: 1px solid #8884"></iframe>'
        rows = "".join(
            f'<tr><td style="color: {_COLOURS.get(result.value, _OPEN)}">{html.escape(result.value)}</td>'
            f"<td>{html.escape(result.name)}</td><td><code>{html.escape(result.formula)}</code></td></tr>"
            for result in self.results
        )
        runs = "".join(
            f"<details><summary>{html.escape(result.name)}: a run</summary>{run._repr_html_()}</details>"
            for result in self.results
            if (run := result.run) is not None
        )
        return f"<table><tbody>{rows}</tbody></table>{runs}"

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value}" for name, value in self.values.items())
        return f"<Report on {self.document['input']['file']}: {told}>"
