"""From a job's result files to its pages, one after another, however long the document is.

Comes in: the number of files, and a way to read one of them; each is read twice.
Goes out: the pages in order, each as soon as all of it is there, and `Counts`.
Raises: OcrResultsIncomplete where a file is cut, or the last one says that there are more.

The first pass over the files only looks at which page each block lies on. After it, it is known
which pages are missing, and in which file each page ends. So the second pass holds no more than
the pages that the file at hand leaves open. The order of blocks and files does not matter; only
where pages end out of order do the later ones wait for the earlier ones.

A block and what it points to can lie in two files, and so can two halves of one block: they have
the same id, and their relations are joined. A reference that leads out of its page leads nowhere.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mailroom.errors import OcrResultsIncomplete
from mailroom.ocr.page_reader import read_page
from mailroom.ocr.tables import join_tables
from mailroom.ocr.textract_json import Block, Warned, read_blocks, read_outline
from mailroom.pages import Page

_NAMED = 10  # ranges of pages in one warning, which travels in the state
_CODE = 80  # characters of a warning's code


@dataclass
class Counts:
    """What must be equal, and what is missing.

    `pages_reported` is Textract's own count. `characters_found` are those of all WORD blocks,
    `characters_kept` those of the pages' words. `dangling` counts references to blocks that their
    page does not hold. `warnings` names, for each of Textract's codes, the pages.
    """

    pages_reported: int = 0
    pages_read: int = 0
    missing_pages: list[int] = field(default_factory=list)
    words: int = 0
    characters_found: int = 0
    characters_kept: int = 0
    dangling: int = 0
    warnings: list[str] = field(default_factory=list)


class Assembly:
    """One document's pages. `counts` is whole when the last page is out.

    Before the first one, the missing pages and the warnings are known.
    """

    def __init__(self, files: int, read: Callable[[int], bytes]) -> None:
        self._files = files
        self._read = read
        self.counts = Counts()
        self._ends = self._survey()
        present = self._ends.keys()
        reported = range(1, self.counts.pages_reported + 1)
        self.counts.missing_pages = [number for number in reported if number not in present]

    def pages(self) -> Iterator[Page]:
        """The pages by their numbers. To be gone through once."""
        open_pages: dict[int, dict[str, Block]] = {}
        waiting = sorted(self._ends, reverse=True)
        before: Page | None = None
        for file in range(1, self._files + 1):
            self._sort(read_blocks(file, self._read(file)), open_pages)
            while waiting and self._ends[waiting[-1]] <= file:
                number = waiting.pop()
                page, dangling = read_page(number, open_pages.pop(number))
                self._count(page, dangling)
                if before:
                    join_tables(before, page)
                before = page
                yield page

    def _survey(self) -> dict[int, int]:
        """In which file each page ends."""
        ends: dict[int, int] = {}
        warned: dict[str, set[int]] = {}
        for file in range(1, self._files + 1):
            outline = read_outline(file, self._read(file))
            if file == self._files and outline.next_token:
                raise OcrResultsIncomplete(f"Result file {file} says that there are more.")
            reported = (outline.document_metadata and outline.document_metadata.pages) or 0
            self.counts.pages_reported = max(self.counts.pages_reported, reported)
            for warning in outline.warnings or ():
                _note(warned, warning)
            for place in outline.blocks or ():
                ends[place.page or 1] = file
        self.counts.warnings = [f"{code} on page {_named(n)}" for code, n in warned.items()]
        return ends

    def _sort(self, blocks: list[Block], open_pages: dict[int, dict[str, Block]]) -> None:
        """Put each block to its page, and to its other half."""
        for block in blocks:
            page = open_pages.setdefault(block.page or 1, {})
            known = page.setdefault(block.id, block)
            if known is not block:
                _join(known, block)
            elif block.block_type == "WORD":
                self.counts.characters_found += len(block.text or "")

    def _count(self, page: Page, dangling: int) -> None:
        words = page.words()
        self.counts.pages_read += 1
        self.counts.words += len(words)
        self.counts.characters_kept += sum(len(word.text) for word in words)
        self.counts.dangling += dangling


def _join(known: Block, block: Block) -> None:
    """Take over the relations of a block's other half; one that is repeated counts once."""
    for relation in block.relationships or ():
        known.relationships = known.relationships or []
        same = next((r for r in known.relationships if r.type == relation.type), None)
        if same is None:
            known.relationships.append(relation)
        else:
            same.ids = list(dict.fromkeys([*(same.ids or ()), *(relation.ids or ())]))


def _note(warned: dict[str, set[int]], warning: Warned) -> None:
    code = (warning.error_code or "unknown")[:_CODE]
    warned.setdefault(code, set()).update(warning.pages or ())


def _named(pages: set[int]) -> str:
    """Pages in words: "2-4, 7 and 3 more"."""
    ranges: list[list[int]] = []
    for page in sorted(pages):
        if ranges and page == ranges[-1][-1] + 1:
            ranges[-1] = [ranges[-1][0], page]
        else:
            ranges.append([page])
    if not ranges:
        return "unknown"
    named = ", ".join("-".join(map(str, pair)) for pair in ranges[:_NAMED])
    rest = sum(pair[-1] - pair[0] + 1 for pair in ranges[_NAMED:])
    return f"{named} and {rest} more" if rest else named
