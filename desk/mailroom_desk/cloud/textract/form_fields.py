"""What only a PDF's own drawing and form tell: upright lines, and boxes that are ticked."""

import ctypes
from collections.abc import Iterator
from typing import Any

import pypdfium2.raw as pdfium

from mailroom_desk.cloud.textract.geometry import Box, Mark

# A drawn path is an upright line if it is at most so wide and at least so high (points).
RULE_WIDTH = 2.0
RULE_HEIGHT = 6.0
# Drawings with more paths are maps and charts, not forms.
MOST_PATHS = 5000


def upright_rules(page: Any) -> tuple[Box, ...]:
    """The upright lines drawn on a page that is not turned, and the sides of its rectangles."""
    if page.get_rotation():
        return ()
    found: list[Box] = []
    left, _, _, top = page.get_bbox()
    paths = page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH], max_depth=2)
    for count, path in enumerate(paths):
        if count == MOST_PATHS:
            return ()
        x0, y0, x1, y1 = path.get_bounds()
        box = Box(x0 - left, top - y1, x1 - left, top - y0)
        if box.height < RULE_HEIGHT:
            continue
        if box.width <= RULE_WIDTH:
            found.append(box)
        elif _is_stroked(path):
            found += [Box(x, box.top, x, box.bottom) for x in (box.left, box.right)]
    return tuple(found)


def marks(document: Any, page: Any) -> tuple[Mark, ...]:
    """The check boxes and radio buttons of a page's form; to be asked before it is flattened."""
    form = document.formenv
    if form is None or page.get_rotation():
        return ()
    left, _, _, top = page.get_bbox()
    return tuple(
        Mark(
            Box(place.left - left, top - place.top, place.right - left, top - place.bottom),
            bool(pdfium.FPDFAnnot_IsChecked(form.raw, annotation)),
        )
        for annotation, place in _tick_boxes(form.raw, page)
    )


def _tick_boxes(form: Any, page: Any) -> Iterator[tuple[Any, Any]]:
    kinds = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
    for index in range(pdfium.FPDFPage_GetAnnotCount(page.raw)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, index)
        try:
            place = pdfium.FS_RECTF()
            is_box = pdfium.FPDFAnnot_GetFormFieldType(form, annotation) in kinds
            if is_box and pdfium.FPDFAnnot_GetRect(annotation, place):
                yield annotation, place
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)


def _is_stroked(path: Any) -> bool:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    read = pdfium.FPDFPath_GetDrawMode(path.raw, fill, stroke)
    return bool(read and stroke.value)
