"""Two letters: one typed on letterhead, one that came as a fax."""

from maker.scanner import as_fax_tiff, rasterise, scan
from maker.sheet import GREY, MARGIN, Sheet

LETTER = """\
Dear Mr. Brandt,

Thank you for meeting us on April 30 and for the walk along the east bank. As we said then, the
board wishes to go ahead with the new footbridge, and I am glad to confirm that the county has now
granted the permit under the conditions that your office proposed.

Two points remain open. First, the abutment on the mill side stands closer to the flood line than
the survey of 2019 shows; please let us have a revised drawing before the end of May. Second, the
school asks that the path stay open until the summer holiday begins on June 19.

If these dates suit you, our clerk will send the order for the first stage within the week. We
look forward to working with you.
"""

FAX = """\
The reel stands for your order have been held up at the border since Friday, because one customs
paper was missing. It has now been filed.

We expect the truck to leave on November 9 and to reach your yard in the morning of November 11.
Two of the fourteen stands will follow a week later from our own stock.

We are sorry for the delay. Please call (218) 555-0109 if your crew needs a different day.
"""


def letter() -> bytes:
    """A business letter: sender, date, recipient, reference, subject."""
    sheet = Sheet("Letter", face="Times")
    sheet.text(sheet.width / 2, 66, "Willowmere Parish Trust", size=19, bold=True, align="center")
    address = "The Old Toll House, 2 Bridge Lane, Willowmere, NY 12999   |   (518) 555-0184"
    sheet.text(sheet.width / 2, 84, address, size=9.5, align="center", color=GREY)
    sheet.rule(MARGIN, 96, sheet.right, weight=0.6)
    sheet.text(MARGIN, 136, "May 11, 2026", size=11)
    recipient = [
        "Mr. Lucian Brandt",
        "Brandt & Quayle Engineers",
        "730 Weir Street",
        "Ashby Falls, NY 12998",
    ]
    sheet.lines(MARGIN, 168, recipient, size=11, leading=15)
    sheet.text(MARGIN, 252, "Our reference: WPT/2026/114", size=11)
    sheet.text(MARGIN, 276, "Subject: Permit for the Mill Lane footbridge", size=11, bold=True)
    y = 306.0
    for words in LETTER.split("\n\n"):
        y = sheet.paragraph(MARGIN, y, sheet.right - MARGIN, words, size=11, leading=16) + 10
    sheet.text(MARGIN, y + 10, "Sincerely,", size=11)
    sheet.lines(MARGIN, y + 66, ["Henrietta Colm", "Secretary, Willowmere Parish Trust"], size=11)
    return sheet.pdf()


def fax() -> bytes:
    """A memo that came by fax: black and white, a little askew."""
    sheet = Sheet("", face="Vera")
    sheet.text(
        MARGIN, 34, "NOV 05 2026 09:14   FROM: TALLPINE CABLE   TO: 218 555 0144   P. 1/1", size=8
    )
    sheet.text(MARGIN, 88, "Tallpine Cable & Reel Co.", size=16, bold=True)
    sheet.text(MARGIN, 104, "57 Quarry Road, Iron Lake, MN 55999", size=9)
    sheet.text(MARGIN, 150, "MEMO", size=20, bold=True)
    facts = [
        ("To:", "Rosalind Pike, Lakeshore Utilities District"),
        ("From:", "Emmett Thorne, Dispatch"),
        ("Date:", "November 5, 2026"),
        ("Subject:", "Delay of order LU-8830"),
    ]
    y = sheet.pairs(MARGIN, 182, facts, gap=76, size=11, leading=20)
    sheet.rule(MARGIN, y, sheet.right, weight=1.2)
    y += 30
    for words in FAX.split("\n\n"):
        y = sheet.paragraph(MARGIN, y, sheet.right - MARGIN, words, size=11, leading=18) + 12
    sheet.text(MARGIN, y + 24, "Emmett Thorne", size=11)
    page = rasterise(sheet.pdf(), 200)[0]
    return as_fax_tiff([scan(page, degrees=0.4, noise=12, seed=16)], dpi=200)
