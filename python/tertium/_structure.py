"""Partial structures, built from Python and from graphs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Callable, Dict, Hashable, Iterable, List, Mapping, Optional, Union

if TYPE_CHECKING:
    import networkx

#: A label: true, false, or open.
Label = Union[bool, None, str]

_LETTERS = {True: "t", False: "f", None: "u", "true": "t", "false": "f", "unknown": "u", "both": "b", "?": "u"}


def _letter(value: Label) -> str:
    letter = _LETTERS.get(value, value)
    if letter not in ("t", "f", "u", "b"):
        raise ValueError(f"a label is True, False, None (open) or 'both', not {value!r}")
    return str(letter)


class Structure:
    """A partial structure (Kripke modal transition system): states with labels, steps that are certain or only possible.

    >>> door = Structure(["open"])
    >>> _ = door.state("shut", init=True, open=False)
    >>> _ = door.state("ajar", open=True)
    >>> _ = door.must("shut", "ajar")
    >>> _ = door.may("ajar", "shut")
    >>> _ = door.property("can_open", "EF open")
    """

    def __init__(self, props: Iterable[str] = (), *, name: str = "<structure>", total: bool = False) -> None:
        self.name = name
        self._props: List[str] = list(props)
        self._states: Dict[str, Dict[str, str]] = {}
        self._init: List[str] = []
        self._must: List[List[str]] = []
        self._may: List[List[str]] = []
        self._hyper: List[List[Any]] = []
        self._properties: List[Dict[str, str]] = []
        self._total = total

    def state(self, name: str, labels: Optional[Mapping[str, Label]] = None, *, init: bool = False, **more: Label) -> "Structure":
        """Adds a state. A proposition that is not named is open there."""
        if name in self._states:
            raise ValueError(f"the state {name!r} is there already")
        known = {**(labels or {}), **more}
        for prop in known:
            if prop not in self._props:
                self._props.append(prop)
        self._states[name] = {prop: _letter(value) for prop, value in known.items()}
        if init:
            self._init.append(name)
        return self

    def may(self, source: str, target: str, action: Optional[str] = None) -> "Structure":
        """Adds a step that is possible."""
        edge = [source, target] if action is None else [source, target, action]
        if edge not in self._may:
            self._may.append(edge)
        return self

    def must(self, source: str, target: str, action: Optional[str] = None) -> "Structure":
        """Adds a step that is certain, and so also possible."""
        self.may(source, target, action)
        self._must.append([source, target] if action is None else [source, target, action])
        return self

    def hyper(self, source: str, targets: Iterable[str], action: Optional[str] = None) -> "Structure":
        """Adds a step that is certain, but leads to one of several states: which one is open."""
        members = list(targets)
        for target in members:
            self.may(source, target, action)
        self._hyper.append([source, members] if action is None else [source, members, action])
        return self

    def property(self, name: str, formula: str, logic: Optional[str] = None) -> "Structure":
        """Adds a property."""
        entry = {"name": name, "formula": formula}
        if logic is not None:
            entry["logic"] = logic
        self._properties.append(entry)
        return self

    def to_json(self) -> str:
        """The structure as a file that ends in ``.json`` holds it."""
        document: Dict[str, Any] = {
            "states": {
                name: {prop: labels.get(prop, "u") for prop in self._props} for name, labels in self._states.items()
            },
            "props": self._props,
            "must": self._must,
            "may": self._may,
            "properties": self._properties,
        }
        if self._hyper:
            document["hyper"] = self._hyper
        if self._init:
            document["init"] = self._init
        if self._total:
            document["total"] = True
        return json.dumps(document, indent=1)

    @classmethod
    def from_networkx(
        cls,
        graph: "networkx.Graph",
        *,
        init: Union[Hashable, Iterable[Hashable], None] = None,
        labels: Optional[Callable[[Hashable], Mapping[str, Label]]] = None,
        name: str = "<graph>",
    ) -> "Structure":
        """The structure of a directed graph.

        Attributes of nodes whose values are True, False or None are labels, unless ``labels`` gives them. Edges are certain, unless their attribute
        ``must`` is False; ``action`` names an action. The nodes ``init``, or those with the attribute ``init``, are initial.
        """
        if not graph.is_directed():
            raise ValueError("the graph is not directed; graph.to_directed() goes both ways along each edge")
        names = {node: str(node) for node in graph.nodes}
        if len(set(names.values())) < len(names):
            raise ValueError("two nodes have the same name as text")
        if init is None:
            starts = {node for node, data in graph.nodes(data=True) if data.get("init")}
        elif isinstance(init, Hashable) and init in names:
            starts = {init}
        else:
            starts = set(init)  # type: ignore[arg-type]
            unknown = starts - set(names)
            if unknown:
                raise ValueError(f"not nodes of the graph: {sorted(map(str, unknown))}")
        built = cls(name=name)
        for node, data in graph.nodes(data=True):
            own = labels(node) if labels else {key: value for key, value in data.items() if _is_label(key, value)}
            built.state(names[node], own, init=node in starts)
        for source, target, data in graph.edges(data=True):
            add = built.must if data.get("must", True) else built.may
            add(names[source], names[target], data.get("action"))
        return built

    def __repr__(self) -> str:
        return f"<Structure with {len(self._states)} states, {len(self._may)} steps>"


def _is_label(key: Any, value: Any) -> bool:
    return isinstance(key, str) and key != "init" and (value is None or isinstance(value, bool))
