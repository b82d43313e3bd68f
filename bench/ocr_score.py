"""What the OCR bench counts of one engine in one case."""

import os
from dataclasses import dataclass, field

import jiwer

CLEAR = 0.9


@dataclass
class Score:
    """What one engine made of one case."""

    references: list[str] = field(default_factory=list)
    readings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    """Of the processor, so that other work on the machine does not count."""

    files: int = 0
    values: int = 0
    found: int = 0

    def errors(self) -> dict[str, float]:
        """Shares of characters (spaces aside) and of words that are wrong; seconds a page."""
        bare = [
            ["".join(text.split()) for text in texts] for texts in (self.references, self.readings)
        ]
        return {
            "cer": jiwer.process_characters(*bare).cer,
            "wer": jiwer.process_words(self.references, self.readings).wer,
            "seconds": self.seconds / len(self.references),
        }


def processor_seconds() -> float:
    """Used by this process and by the programs that it ran to their end."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def better(figures: dict[str, float]) -> str:
    """The engine with clearly fewer errors; "equal" where none is."""
    if len(figures) < 2:
        return ""
    (first, least), (_, next_best) = sorted(figures.items(), key=lambda each: each[1])[:2]
    return first if least < CLEAR * next_best else "equal"


def text_line(case: str, found: dict[str, dict[str, float]]) -> str:
    """One case in the table: each engine's errors and time, and the better one."""
    cells = [
        f"{100 * each['cer']:>10.2f} %{100 * each['wer']:>6.1f} %{each['seconds']:>8.1f}"
        for each in found.values()
    ]
    winner = better({name: each["cer"] for name, each in found.items()})
    return f"{case:<34}{''.join(cells)}  {winner}"
