"""Read a document with the model, in one call or in windows over its pages.

A document that fits into one window is one call. For a longer one, the class comes from a view of
it: its first, last and sampled pages. The fields come from windows that follow each other and hold
every page once, with the class given; `merge` makes one set of fields of them.

What the model finds too long, and an answer that was cut off, is asked for again in halves. One
page that is still too long is recorded as not shown. What all would cost is estimated first: above
the limit only the view is read. Windows are asked for a few at a time; each answer is kept before
it is used, so that a try that runs out of time is no loss.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import batched
from typing import Any

from mailroom.classes import Classes, DocumentClass
from mailroom.llm.asking import Asked, Asker
from mailroom.llm.merge import Found, merged
from mailroom.llm.prompt import INSTRUCTIONS, MAX_TOKENS, Frame, Prompt, build
from mailroom.llm.windows import Piece, Window, filled, packed, ranges, tokens, view
from mailroom.observability import count
from mailroom.pages import Page
from mailroom.prices import estimate

MODEL_TOKENS = 200_000
"""What Claude Haiku 4.5 can see. Source: Anthropic's model overview."""

_RESERVE = 20_000
"""Tokens that are left free: for the marks, and for what the estimate by script misses."""

VIEW_TOKENS = 20_000
"""Of a document's view: some thirty pages, for a tenth of a window's price."""

CONCURRENT_CALLS = 4
"""Windows asked for at a time. Each takes a window's text of memory and up to 200,000 tokens of the
account's quota a minute, which other documents need as well."""


@dataclass
class Reading:
    """What a document came to: class and fields, what is doubtful, and the answers behind them.

    `pages_shown` counts the pages that the model saw whole, `windows` the calls whose fields were
    taken.
    """

    document_class: str | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)
    pages_shown: int = 0
    windows: int = 0


def text_limit(classes: Classes) -> int:
    """How many tokens of text fit into one call beside the tools, the answer and its repair."""
    # A repair holds the first answer again, and what is wrong with it.
    return MODEL_TOKENS - _RESERVE - _fixed_tokens(classes) - 3 * MAX_TOKENS


def _fixed_tokens(classes: Classes) -> int:
    """What every call holds beside the document."""
    return tokens(json.dumps(classes.tools(), ensure_ascii=False) + INSTRUCTIONS)


@dataclass
class Reader:
    """Reads one document.

    `pages` streams its pages, as often as it is called; `pieces` are what `survey` made of them
    with `limit`; `max_usd` bounds what the model's answers may cost.
    """

    pages: Callable[[], Iterable[Page]]
    pieces: Sequence[Piece]
    limit: int
    frame: Frame
    asker: Asker
    max_usd: Decimal
    view_tokens: int = VIEW_TOKENS
    _answers: list[dict[str, Any]] = field(default_factory=list)
    _spent: Decimal = Decimal()

    def read(self) -> Reading:
        """Class and fields of a document that has some text.

        Raises what `Asker.ask` raises.
        """
        windows = packed(self.pieces, self.limit)
        glance = view(self.pieces, self.view_tokens)
        price = self._price(windows if len(windows) == 1 else [glance, *windows])
        if price > self.max_usd and not self._is_all(glance):
            seen, asked = self._first(glance)
            return self._taken(seen, asked, [self._limit_met(price, seen)])
        seen, asked = self._first(windows[0] if len(windows) == 1 else glance)
        if len(windows) == 1:
            was_too_much = seen != windows[0] or asked.answer.cut
            windows = self._halves(windows[0]) if was_too_much else []
        found = self.asker.classes.by_name.get(asked.class_name or "")
        if not windows or found is None:
            return self._taken(seen, asked)
        return self._merged(found, windows)

    def _first(self, window: Window) -> tuple[Window, Asked]:
        """Ask which class it is; with ever fewer pages where the model finds them too many."""
        while True:
            ((_, asked),) = self._asked([window])
            smaller = view(window.pieces, window.tokens // 2)
            if not asked.refused or smaller == window:
                return window, asked
            window = smaller

    def _taken(self, seen: Window, asked: Asked, problems: Sequence[str] = ()) -> Reading:
        """All that one call gave, and no more."""
        return Reading(
            asked.answer.document_class,
            asked.answer.fields,
            [*problems, *asked.answer.problems],
            self._answers,
            self._whole_pages([] if asked.refused else [seen]),
            windows=int(not asked.refused),
        )

    def _merged(self, of: DocumentClass, windows: Sequence[Window]) -> Reading:
        """What all windows gave."""
        answered = self._windows(of.name, windows)
        found, problems = [], []
        for window, asked in answered:
            answer = asked.answer
            if answer.document_class == of.name:
                found.append(Found(window.pages, answer.fields))
            elif answer.document_class:
                problems.append(f"On pages {ranges(window.pages, ', ')} another class was picked.")
            problems += [f"Pages {ranges(window.pages, ', ')}: {each}" for each in answer.problems]
        fields, disagreements = merged(found, of)
        return Reading(
            of.name,
            fields,
            disagreements + problems,
            self._answers,
            self._whole_pages(window for window, _ in answered),
            windows=len(answered),
        )

    def _windows(self, class_name: str, windows: Sequence[Window]) -> list[tuple[Window, Asked]]:
        """Ask for the windows, and for halves of those that were too much, as far as that can go.

        In the order of the document, without what the model refused to the last.
        """
        done = []
        while windows:
            halves: list[Window] = []
            for window, asked in self._asked(windows, class_name):
                was_too_much = asked.refused or asked.answer.cut
                smaller = self._halves(window, beside=halves) if was_too_much else []
                halves += smaller
                if not smaller and not asked.refused:
                    done.append((window, asked))
            windows = halves
        return sorted(done, key=lambda pair: (pair[0].pieces[0].page, pair[0].pieces[0].part))

    def _halves(self, window: Window, beside: Sequence[Window] = ()) -> list[Window]:
        """The window in two, where it can be halved and the limit allows it beside the others."""
        halves = list(window.halves() or ())
        return halves if self._spent + self._price([*beside, *halves]) <= self.max_usd else []

    def _asked(
        self, windows: Sequence[Window], class_name: str = ""
    ) -> Iterator[tuple[Window, Asked]]:
        """Each window with what it came to. All calls of a round end, whatever one of them raises,
        so that no paid answer is lost.
        """
        texts = filled(windows, self.pages(), self.limit)
        for batch in batched(texts, CONCURRENT_CALLS, strict=False):
            with ThreadPoolExecutor(len(batch)) as threads:
                calls = [
                    threads.submit(
                        self.asker.ask,
                        self._prompt(window, text, class_name),
                        for_class=not class_name and not self._is_all(window),
                    )
                    for window, text in batch
                ]
            ended = [call.result() for call in calls if call.exception() is None]
            _count(ended)
            self._answers += [answer for asked in ended for answer in asked.answers]
            for (window, _), call in zip(batch, calls, strict=True):
                if not call.result().refused:
                    self._spent += self._price([window])
            yield from ((w, call.result()) for (w, _), call in zip(batch, calls, strict=True))

    def _prompt(self, window: Window, text: str, class_name: str) -> Prompt:
        shown = "" if self._is_all(window) else ranges(window.pages)
        return build(self.frame, text, self.asker.classes, shown=shown, class_name=class_name)

    def _price(self, windows: Sequence[Window]) -> Decimal:
        """What these windows can cost, a call each."""
        fixed = _fixed_tokens(self.asker.classes)
        given = sum(window.tokens + fixed for window in windows)
        return estimate(self.asker.model.model_id, given, MAX_TOKENS * len(windows))

    def _limit_met(self, price: Decimal, seen: Window) -> str:
        return (
            f"The model's reading of all {len({piece.page for piece in self.pieces})} pages may "
            f"cost {price:.2f} USD, more than the {self.max_usd} USD that a document may: "
            f"{self._whole_pages([seen])} pages were read."
        )

    def _is_all(self, window: Window) -> bool:
        return len(window.pieces) == len(self.pieces)

    def _whole_pages(self, windows: Iterable[Window]) -> int:
        """How many pages stand in the windows with all their parts."""
        shown = {piece for window in windows for piece in window.pieces}
        return len(
            {piece.page for piece in shown} - {p.page for p in self.pieces if p not in shown}
        )


def _count(round_of_calls: Iterable[Asked]) -> None:
    for asked in round_of_calls:
        if asked.paid:
            count("ModelCalls", asked.paid)
        if len(asked.answers) > 1:
            count("AnswersRepaired")
