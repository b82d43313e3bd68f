"""What the document classes look like, by the tool's name.

The table holds paragraphs `class title: phrase | phrase`, the words that name the class itself and
count where they stand in a short line near the top, and `class weight: phrase | phrase`, phrases
that add their weight once.
"""

from collections import defaultdict

from mailroom_desk.cloud.claude.offline.table_classes import CLASS_WORDS


def read_titles(table: str) -> dict[str, tuple[str, ...]]:
    """The titles of each class."""
    found = ((name, phrases) for name, weight, phrases in _paragraphs(table) if weight == "title")
    return dict(found)


def read_words(table: str) -> dict[str, dict[str, float]]:
    """The weighted phrases of each class."""
    words: dict[str, dict[str, float]] = defaultdict(dict)
    for name, weight, phrases in _paragraphs(table):
        if weight != "title":
            words[name] |= dict.fromkeys(phrases, float(weight))
    return dict(words)


def _paragraphs(table: str) -> list[tuple[str, str, tuple[str, ...]]]:
    parts = (paragraph.partition(":") for paragraph in table.strip().split("\n\n"))
    heads = ((*head.split(), text) for head, _, text in parts)
    return [(name, weight, tuple(map(str.strip, text.split("|")))) for name, weight, text in heads]


TITLES = read_titles(CLASS_WORDS)
WORDS = read_words(CLASS_WORDS)
# What "other" starts from: a class must show more than this to be chosen.
BASE: dict[str, float] = {"other": 7.0}
