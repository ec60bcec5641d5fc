"""Functions that no oracle over one call can judge, and how each is tried instead.

A helper is right if what comes later is: a state is set, read back and must change what a later call does. A procedure is one
function of a `Trial`; it makes an example from the trial's own random numbers and says the first thing that is wrong.
"""

from . import copies, first, grouped, handles, lt, lt_objects, settings, words, xt
from .registry import PROCEDURES, Procedure, procedure_of
from .trial import Bench, Trial, WrongError

__all__ = [
    "PROCEDURES", "Bench", "Procedure", "Trial", "WrongError", "copies", "first", "grouped", "handles", "lt",
    "lt_objects", "procedure_of", "settings", "words", "xt",
]  # fmt: skip
