"""Papers about a person: a CV and a wage form."""

from maker.scanner import as_png, rasterise
from maker.sheet import BLACK, GREY, MARGIN, Sheet

SIDE = 176.0

JOBS = [
    (
        "Senior Logistics Planner",
        "Saltmarsh Freight Cooperative, Port Ellis, OR",
        "March 2021 - present",
        [
            "Plans 140 routes a day across three depots; cut empty miles by 18 %.",
            "Leads a team of six and runs the weekly meeting with the carriers.",
            "Introduced hand-held scanning, which halved claims for lost parcels.",
        ],
    ),
    (
        "Logistics Planner",
        "Kestrel Cold Chain Inc., Marlow, WA",
        "June 2017 - February 2021",
        [
            "Scheduled refrigerated deliveries to 220 grocery stores.",
            "Wrote the forecasting sheets that were still in use at handover.",
        ],
    ),
    (
        "Dispatch Assistant",
        "Juniper Parcel Service, Marlow, WA",
        "September 2015 - May 2017",
        ["Answered drivers' calls, matched loads and kept the shift log."],
    ),
]

# Each box: x, y, width, label and value.
WAGE_BOXES = [
    (54, 96, 192, "a  Employee's social security number", "000-12-3456"),
    (54, 138, 300, "b  Employer identification number (EIN)", "00-1234567"),
    (54, 264, 300, "d  Control number", "PR-0417"),
    (354, 96, 204, "Tax year", "2025"),
    (354, 138, 102, "1  Wages, tips, other", "58,240.00"),
    (456, 138, 102, "2  Federal income tax", "6,115.20"),
    (354, 180, 102, "3  Soc. sec. wages", "58,240.00"),
    (456, 180, 102, "4  Soc. sec. tax", "3,610.88"),
    (354, 222, 102, "5  Medicare wages", "58,240.00"),
    (456, 222, 102, "6  Medicare tax", "844.48"),
    (354, 264, 102, "7  Soc. sec. tips", "0.00"),
    (456, 264, 102, "8  Allocated tips", "0.00"),
    (354, 306, 204, "12a  Code D, elective deferrals", "2,329.60"),
    (54, 390, 84, "15  State", "OR"),
    (138, 390, 216, "16  State wages, tips, etc.", "58,240.00"),
    (354, 390, 204, "17  State income tax", "4,659.20"),
]


def resume() -> bytes:
    """Two columns: contact, skills and education on the left, the jobs on the right."""
    sheet = Sheet("Curriculum vitae")
    sheet.box(0, 0, SIDE, sheet.height, fill="#e9eef0")
    sheet.text(24, 78, "CONTACT", size=9.5, bold=True, color="#23505c")
    contact = [
        "Port Ellis, OR 97499",
        "(503) 555-0175",
        "mirela.voss@example.com",
        "mvoss.example.net",
    ]
    y = sheet.lines(24, 96, contact, size=9)
    side = {
        "SKILLS": [
            "Route planning",
            "Carrier contracts",
            "Demand forecasting",
            "SQL, spreadsheets",
            "Team leadership",
        ],
        "LANGUAGES": ["English (native)", "German (fluent)", "Spanish (basic)"],
        "EDUCATION": ["B.Sc. Supply Chain", "Management", "Cascadia Valley College", "2011 - 2015"],
        "CERTIFICATES": ["Inventory Planning II", "Forklift license"],
    }
    for heading, lines in side.items():
        sheet.text(24, y + 24, heading, size=9.5, bold=True, color="#23505c")
        y = sheet.lines(24, y + 42, lines, size=9, leading=13.5)

    left = SIDE + 28
    width = sheet.right - left
    sheet.text(left, 82, "Mirela Voss", size=27, bold=True, color="#23505c")
    sheet.text(left, 102, "Senior Logistics Planner", size=12, color=GREY)
    sheet.text(left, 142, "PROFILE", size=10.5, bold=True, color="#23505c")
    sheet.rule(left, 148, sheet.right, color="#23505c")
    profile = (
        "Planner with eleven years in regional freight. Turns rough demand into routes that "
        "drivers can keep, and numbers into decisions that dispatchers trust."
    )
    y = sheet.paragraph(left, 165, width, profile)
    sheet.text(left, y + 20, "EXPERIENCE", size=10.5, bold=True, color="#23505c")
    sheet.rule(left, y + 26, sheet.right, color="#23505c")
    y += 46
    for title, employer, period, tasks in JOBS:
        sheet.text(left, y, title, size=11, bold=True)
        sheet.text(left, y + 14, employer)
        sheet.text(left, y + 28, period, size=8.5, color=GREY)
        y += 44
        for task in tasks:
            sheet.text(left, y, "•")
            y = sheet.paragraph(left + 12, y, width - 12, task, size=9.5, leading=13)
        y += 16
    sheet.text(left, y, "References on request.", size=9, color=GREY)
    return sheet.pdf()


def wage_form() -> bytes:
    """A scan of a wage statement in boxes. The layout is our own, and it says SAMPLE."""
    sheet = Sheet("", face="Vera")
    sheet.text(MARGIN, 62, "Form W-2", size=17, bold=True)
    sheet.text(170, 62, "Wage and Tax Statement 2025", size=12, bold=True)
    sheet.text(sheet.right, 62, "SAMPLE", size=17, bold=True, align="right", color="#777777")
    sheet.text(MARGIN, 82, "Copy B, to be filed with the employee's federal tax return", size=8)
    for x, y, width, label, value in WAGE_BOXES:
        _form_box(sheet, x, y, width, 42, label, [value])
    employer = ["Juniper Hollow Nurseries Inc.", "640 Greenhouse Lane", "Port Ellis, OR 97499"]
    employee = ["Tobin Ashgrove", "19 Cedar Court, Apt. 6", "Port Ellis, OR 97499"]
    _form_box(sheet, 54, 180, 300, 84, "c  Employer's name, address, and ZIP code", employer)
    _form_box(sheet, 54, 306, 300, 84, "e  Employee's name, address, and ZIP code", employee)
    _form_box(sheet, 246, 96, 108, 42, "Void", ["[  ]"])
    _form_box(sheet, 354, 348, 204, 42, "13  Retirement plan", ["[X]"])
    note = "SAMPLE - not an official form. Names and numbers are invented."
    sheet.text(MARGIN, 452, note, size=9, bold=True)
    page = rasterise(sheet.pdf(), 150)[0]
    return as_png(page.crop((0, 40, page.width, 1010)), levels=8)


def _form_box(
    sheet: Sheet, x: float, y: float, width: float, height: float, label: str, lines: list[str]
) -> None:
    sheet.box(x, y, width, height, edge=BLACK)
    sheet.text(x + 4, y + 11, label, size=7)
    sheet.lines(x + 10, y + 30, lines, size=10, leading=15)
