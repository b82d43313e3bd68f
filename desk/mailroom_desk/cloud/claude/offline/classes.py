"""Score the offered tools against a document.

`score_tools(document, tools)` returns one score a tool. A tool whose name is known (`keywords`) is
scored by its words and by the document's shape; any other by the words of its own name,
description and properties. Scores are comparable: about one point per weak sign.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from mailroom_desk.cloud.claude.offline.keywords import BASE, TITLES, WORDS
from mailroom_desk.cloud.claude.offline.prompt import Document
from mailroom_desk.cloud.claude.offline.words import contains, plain, squeeze

TOP_LINES = 15
LONGEST_TITLE_WORDS = 7
TITLE_ALONE, TITLE_WITHIN = 10.0, 6.0
# Enough to know a class by; a long document repeats itself.
CHARACTERS_READ = 12_000
MOST_FROM_WORDS = 30.0
# Years from and to, as the stations of a life are dated.
STATIONS = re.compile(
    r"\b(?:19|20)\d\d\s*(?:-|–|—|to|bis|a)\s*(?:\d\d[/.])?"
    r"(?:(?:19|20)\d\d|present|now|today|heute|aujourd'hui|actual\w*|oggi|heden)\b"
    r"|\b(?:since|seit|depuis|desde|dal|sinds) (?:\d\d[/.])?(?:19|20)\d\d"
)
STOP_WORDS = frozenset(
    [
        "with",
        "from",
        "that",
        "this",
        "they",
        "which",
        "what",
        "when",
        "where",
        "their",
        "other",
        "such",
        "like",
        "document",
        "documents",
        "form",
        "the",
        "and",
        "for",
        "its",
        "all",
        "was",
        "were",
        "are",
        "has",
        "have",
        "number",
        "name",
        "date",
        "amount",
        "paid",
        "pays",
        "text",
        "string",
    ]
)


@dataclass(frozen=True)
class Tool:
    """An offered tool: name, description, and the JSON Schema of its input."""

    name: str
    description: str
    schema: dict[str, Any]


def score_tools(document: Document, tools: list[Tool]) -> dict[str, float]:
    """One score a tool; the highest is the best."""
    view = _View(document)
    return {tool.name: _score(view, tool) for tool in tools}


class _View:
    """What scoring looks at: the plain text, its squeezed form, the first lines, a few counts."""

    def __init__(self, document: Document) -> None:
        cells = (cell for table in document.tables for row in table for cell in row)
        keys = (f"{key} {value}" for key, value in document.forms)
        parts = document.lines or [*keys, *cells]
        self.text = plain("\n".join(parts))[:CHARACTERS_READ]
        self.squeezed = squeeze(self.text)
        lines = self.text.split("\n")
        self.top = [line for line in lines[:TOP_LINES] if len(line.split()) <= LONGEST_TITLE_WORDS]
        self.words = len(self.text.split())
        self.prose = sum(len(line.split()) >= 9 for line in lines) / max(1, len(lines))
        self.prices = len(re.findall(r"[$€£¥]\s?\d|\d[.,]\d\d(?!\d)", self.text))
        self.money = len(re.findall(r"\d[.,]\d\d(?!\d)", self.text))


def _score(view: _View, tool: Tool) -> float:
    words = WORDS.get(tool.name)
    if words is None:
        return _score_unknown(view, tool)
    found = sum(w for phrase, w in words.items() if contains(view.text, view.squeezed, phrase))
    return (
        BASE.get(tool.name, 0.0)
        + min(found, MOST_FROM_WORDS)
        + _title_score(view, TITLES[tool.name])
        + _shape_score(view, tool.name)
    )


def _title_score(view: _View, titles: tuple[str, ...]) -> float:
    """The best title among the first lines; earlier lines count a little more."""
    best = 0.0
    for number, line in enumerate(view.top):
        squeezed = squeeze(line)
        for title in titles:
            if squeezed == squeeze(title):
                best = max(best, TITLE_ALONE - number * 0.2)
            elif contains(line, squeezed, title):
                best = max(best, TITLE_WITHIN - number * 0.2)
    return best


def _shape_score(view: _View, name: str) -> float:
    """What a class looks like apart from its words."""
    match name:
        case "id_document":
            machine_readable = bool(re.search(r"[a-z0-9<]{3,}<<[a-z0-9<]+", view.text))
            return machine_readable * 12.0 + (view.words < 120) * 3.0 - (view.words > 300) * 15.0
        case "receipt":
            clock = bool(re.search(r"\b\d{1,2}[:h時]\d\d(?!\d)", view.text))
            article_codes = len(re.findall(r"^\d{8,14}\b", view.text, re.MULTILINE)) > 2
            short = view.words < 220 and view.prices > 1
            return clock * 3.0 + short * 4.0 + article_codes * 4.0 - (view.words > 400) * 10.0
        case "invoice" | "purchase_order":
            return (view.money > 2) * 3.0 - (view.money == 0) * 6.0 - (view.prose > 0.5) * 6.0
        case "bank_statement":
            return (view.money > 8) * 3.0 - (view.money == 0) * 8.0
        case "contract":
            return (view.prose > 0.4) * 4.0 - (view.words < 120) * 3.0
        case "letter":
            return (view.prose > 0.2) * 2.0 - (view.money > 8) * 6.0 - (view.words > 1200) * 6.0
        case "resume":
            has_address = bool(re.search(r"\S+@\S+", view.text))
            has_stations = len(STATIONS.findall(view.text)) > 1
            return has_address * (3.0 + has_stations * 5.0) - (view.money > 6) * 6.0
        case "other":
            return (view.words > 1500) * 4.0 + (view.words < 15) * 4.0
    return 0.0


def _score_unknown(view: _View, tool: Tool) -> float:
    """Words of the name count 4 (10 as a title), of the description 2, of the properties 1."""
    name = tool.name.replace("_", " ").replace("-", " ")
    properties = " ".join(tool.schema.get("properties", {})).replace("_", " ")
    weighted = dict.fromkeys(_content_words(properties), 1.0)
    weighted |= dict.fromkeys(_content_words(tool.description), 2.0)
    weighted |= dict.fromkeys(_content_words(name), 4.0)
    found = sum(w for word, w in weighted.items() if contains(view.text, view.squeezed, word))
    return min(found, MOST_FROM_WORDS) + _title_score(view, (name,))


@cache
def _content_words(text: str) -> tuple[str, ...]:
    words = re.findall(r"[^\W\d_]{4,}", plain(text))
    return tuple(dict.fromkeys(word for word in words if word not in STOP_WORDS))
