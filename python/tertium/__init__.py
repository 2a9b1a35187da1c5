"""Tertium checks temporal properties of systems that are only partly known: true, false or unknown.

>>> import tertium
>>> report = tertium.check(text='''
... system lamp
... var on : bool = false
... process Hand { loop { on := !on; } }
... property dark : ltl G !on
... ''', language="gcl")
>>> report["dark"].value
'false'
>>> report["dark"].run.steps[1]["values"]["on"]
'true'

A definite value holds however the open parts of a model are filled in; an unknown says what is missing. The answers are those of the command
``tertium check``, and so are the options.
"""

from ._check import Progress, check, explain, format, properties, simulate
from ._errors import Cancelled, Diagnostic, InputError, Place, TertiumError
from ._report import Report, Result, Run
from ._structure import Structure
from ._tertium import __version__

__all__ = [
    "Cancelled",
    "Diagnostic",
    "InputError",
    "Place",
    "Progress",
    "Report",
    "Result",
    "Run",
    "Structure",
    "TertiumError",
    "__version__",
    "check",
    "explain",
    "format",
    "properties",
    "simulate",
]
