"""Textract's result files, decoded into the keys that are used and no others.

Comes in: the bytes of one file, as OutputConfig or a Get call gives them.
Goes out: `Outline` (what the file says of itself, and on which pages its blocks lie) or `Block`s.
Raises: OcrResultsIncomplete where the file is cut or is not a result.

Keys and their meaning: Amazon Textract API reference, "GetDocumentAnalysis", "Block". The
synchronous calls leave out `Page`; some writers give every key, with null where it does not apply.
"""

from collections.abc import Iterator

import msgspec
from msgspec import Struct

from mailroom.errors import OcrResultsIncomplete


class BoundingBox(Struct, rename="pascal", gc=False):
    """Fractions of the page, as it was scanned: the box stays upright where the text is turned."""

    left: float | None = None
    top: float | None = None
    width: float | None = None
    height: float | None = None


class Geometry(Struct, rename="pascal", gc=False):
    """Where a block stands. The polygons are most of a file and are not read."""

    bounding_box: BoundingBox | None = None


class Relationship(Struct, rename="pascal"):
    """Blocks that a block points to, in order."""

    type: str
    ids: list[str] | None = None


class Question(Struct, rename="pascal", gc=False):
    """What a QUERY block asked."""

    text: str | None = None


class Block(Struct, rename="pascal"):
    """One block. `page` is None in a synchronous answer, which has one page."""

    id: str
    block_type: str
    page: int | None = None
    text: str | None = None
    confidence: float | None = None
    geometry: Geometry | None = None
    relationships: list[Relationship] | None = None
    entity_types: list[str] | None = None
    row_index: int | None = None
    column_index: int | None = None
    row_span: int | None = None
    column_span: int | None = None
    selection_status: str | None = None
    query: Question | None = None

    def ids(self, kind: str) -> Iterator[str]:
        """The blocks that relations of one type lead to."""
        for relation in self.relationships or ():
            if relation.type == kind:
                yield from relation.ids or ()


class Warned(Struct, rename="pascal"):
    """Why pages could not be read."""

    error_code: str | None = None
    pages: list[int] | None = None


class Metadata(Struct, rename="pascal", gc=False):
    """How many pages Textract counted in the document."""

    pages: int | None = None


class Place(Struct, rename="pascal", gc=False):
    """The page of a block."""

    page: int | None = None


class Outline(Struct, rename="pascal"):
    """What a file says of itself."""

    document_metadata: Metadata | None = None
    next_token: str | None = None
    warnings: list[Warned] | None = None
    blocks: list[Place] | None = None


class _Content(Struct, rename="pascal"):
    blocks: list[Block] | None = None


_outlines = msgspec.json.Decoder(Outline)
_contents = msgspec.json.Decoder(_Content)


def read_outline(number: int, raw: bytes) -> Outline:
    """The metadata of result file `number`, and the pages of its blocks."""
    return _decoded(_outlines, number, raw)


def read_blocks(number: int, raw: bytes) -> list[Block]:
    """The blocks of result file `number`, in its order."""
    return _decoded(_contents, number, raw).blocks or []


def _decoded[T](decoder: msgspec.json.Decoder[T], number: int, raw: bytes) -> T:
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        # The message names a type and a place in the file; it quotes nothing.
        raise OcrResultsIncomplete(f"Result file {number} is not a result: {error}.") from None
    except ValueError:
        raise OcrResultsIncomplete(f"Result file {number} is cut.") from None
