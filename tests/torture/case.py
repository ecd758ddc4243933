"""One form under one attack, and what came of it."""
from dataclasses import dataclass, field


@dataclass
class Case:
    form: str
    attack: str
    code: int = 0
    fired: bool = True   # the fault was met
    file: str = ""       # that the fault was met on
    recovered: str = ""  # how it was gone on with: "", again, resumed
    problems: list = field(default_factory=list)
    known: list = field(default_factory=list)  # reasons why problems are left out
    kept: str = ""       # where its folder is, when it found something
