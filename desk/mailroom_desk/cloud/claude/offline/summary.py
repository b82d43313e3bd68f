"""An extractive summary: the sentences with the words that the text uses most."""

import math
import re
from collections import Counter

from mailroom_desk.cloud.claude.offline.prompt import Document
from mailroom_desk.cloud.claude.offline.words import plain

SENTENCES = 3
SHORTEST_WORD = 4
LONGEST_SENTENCE = 300
# A sentence loses this share of its score for each one before it: texts say early what they are.
FADE = 0.03


def summarise(document: Document) -> str:
    """Return the best sentences of a document, in their order. Never empty."""
    text = re.sub(r"\s+", " ", " ".join(document.lines))
    sentences = [s.strip() for s in re.split(r"(?<=[.!?。])\s+", text) if s.strip()]
    if not sentences:
        return "The text is empty."
    counts = Counter(_words(text))
    ranked = sorted(range(len(sentences)), key=lambda n: (-_score(sentences[n], n, counts), n))
    chosen = sorted(ranked[:SENTENCES])
    return " ".join(sentences[number][:LONGEST_SENTENCE] for number in chosen)


def _score(sentence: str, number: int, counts: Counter[str]) -> float:
    words = _words(sentence)
    if not words:
        return 0.0
    weight = sum(counts[word] for word in words) / math.sqrt(len(words))
    return weight * max(0.1, 1 - FADE * number)


def _words(text: str) -> list[str]:
    return re.findall(rf"[^\W\d_]{{{SHORTEST_WORD},}}", plain(text))
