"""Forms, identity papers, agreements, letters and resumes, and trade papers in Asian scripts."""

from drawn_papers import grid, text
from drawn_trade_papers import Paper

OTHER_PAPERS: dict[str, Paper] = {
    "wage statement": (
        "tax_form",
        {
            "form": "W-2",
            "tax_year": "2023",
            "employee_ssn": "078-05-1120",
            "employer_ein": "12-3456789",
            "employer_name": "Harbor Freight Lines LLC",
            "employee_name": "Teresa M Quinn",
            "wages": "58200.00",
            "federal_tax_withheld": "6984.00",
        },
        [
            text(15, 15, "a Employee's social security number/ 078-05-1120", 8),
            text(80, 15, "OMB No. 1545-0008", 8),
            text(15, 28, "b Employer identification number (EIN)/ 12-3456789", 8),
            text(100, 28, "1 Wages, tips, other compensation/ 58200.00", 8),
            text(155, 28, "2 Federal income tax withheld/ 6984.00", 8),
            text(
                15,
                38,
                "c Employer's name, address, and ZIP code/ Harbor Freight Lines LLC/ "
                "55 Pier Road/ Tacoma, WA 98402",
                8,
            ),
            text(110, 38, "3 Social security wages/ 58200.00", 8),
            text(155, 38, "4 Social security tax withheld/ 3608.40", 8),
            text(110, 48, "5 Medicare wages and tips/ 58200.00", 8),
            text(155, 48, "6 Medicare tax withheld/ 843.90", 8),
            text(15, 60, "d Control number/ 00231", 8),
            text(15, 70, "e Employee's first name and initial/ Teresa M", 8),
            text(65, 70, "Last name/ Quinn", 8),
            text(15, 82, "8 Cove Street/ Tacoma, WA 98403", 8),
            text(15, 100, "Form W-2 Wage and Tax Statement", 10),
            text(90, 100, "2023", 12),
            text(120, 100, "Department of the Treasury - Internal Revenue Service", 7),
        ],
    ),
    "nonemployee compensation": (
        "tax_form",
        {
            "form": "1099-NEC",
            "payer_name": "Cobalt Media Group",
            "payer_tin": "98-7654321",
            "recipient_tin": "078-05-1120",
            "recipient_name": "Luis Ferrer",
        },
        [
            text(15, 15, "PAYER'S name, street address, city or town, state or province,", 7),
            text(15, 19, "country, ZIP or foreign postal code, and telephone no.", 7),
            text(15, 24, "Cobalt Media Group/ 200 Sunset Blvd/ Los Angeles, CA 90028", 9),
            text(120, 15, "OMB No. 1545-0116/ Form 1099-NEC/ (Rev. January 2022)", 8),
            text(165, 15, "Nonemployee/ Compensation", 11),
            text(15, 45, "PAYER'S TIN/ 98-7654321", 8),
            text(65, 45, "RECIPIENT'S TIN/ 078-05-1120", 8),
            text(120, 45, "1 Nonemployee compensation/ $ 14250.00", 8),
            text(15, 58, "RECIPIENT'S name/ Luis Ferrer", 8),
            text(15, 70, "Street address (including apt. no.)/ 31 Palm Way Apt 4", 8),
            text(120, 58, "4 Federal income tax withheld/ $", 8),
            text(15, 95, "Form 1099-NEC Department of the Treasury - Internal Revenue Service", 7),
        ],
    ),
    "passport with its machine-readable lines": (
        "id_document",
        {
            "document_type": "PASSPORT",
            "surname": "ERIKSSON",
            "given_name": "ANNA MARIA",
            "document_number": "L898902C3",
            "date_of_birth": "1974-08-12",
            "expiry_date": "2012-04-15",
        },
        [
            text(20, 20, "UTOPIA", 12),
            text(120, 20, "PASSPORT / PASSEPORT", 12),
            text(60, 32, "Type/ P", 7),
            text(90, 32, "Code/ UTO", 7),
            text(130, 32, "Passport No. / No. du passeport", 7),
            text(130, 36, "L898902C3", 10),
            text(60, 46, "Surname / Nom", 7),
            text(60, 50, "ERIKSSON", 10),
            text(60, 58, "Given names / Prénoms", 7),
            text(60, 62, "ANNA MARIA", 10),
            text(60, 70, "Date of birth / Date de naissance", 7),
            text(60, 74, "12 AUG 1974", 10),
            text(60, 82, "Date of expiry / Date d'expiration", 7),
            text(60, 86, "15 APR 2012", 10),
            text(20, 105, "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", 11),
            text(20, 112, "L898902C36UTO7408122F1204159ZE184226B<<<<<10", 11),
        ],
    ),
    "identity card of which only the back was sent": (
        "id_document",
        {
            "document_type": "IDENTITY CARD",
            "surname": "ERIKSSON",
            "given_name": "ANNA MARIA",
            "document_number": "D23145890",
            "date_of_birth": "1974-08-12",
            "expiry_date": "2012-04-15",
        },
        [
            text(20, 20, "IDENTITY CARD", 10),
            text(20, 40, "I<UTOD231458907<<<<<<<<<<<<<<<", 11),
            text(20, 47, "7408122F1204159UTO<<<<<<<<<<<6", 11),
            text(20, 54, "ERIKSSON<<ANNA<MARIA<<<<<<<<<<", 11),
        ],
    ),
    "american driving licence": (
        "id_document",
        {
            "document_type": "DRIVER LICENSE",
            "surname": "WALKER",
            "given_name": "JORDAN LEE",
            "document_number": "W4821907",
            "date_of_birth": "1988-11-03",
            "issue_date": "2022-10-20",
            "expiry_date": "2027-11-03",
            "issuer": "Oregon",
        },
        [
            text(20, 15, "Oregon", 16),
            text(90, 15, "DRIVER LICENSE", 12),
            text(60, 28, "4d DL W4821907", 9),
            text(110, 28, "9 CLASS C", 9),
            text(60, 36, "3 DOB 11/03/1988", 9),
            text(60, 44, "1 WALKER", 10),
            text(60, 50, "2 JORDAN LEE", 10),
            text(60, 56, "8 410 PINE ST", 9),
            text(60, 61, "SALEM, OR 97301", 9),
            text(60, 70, "4a ISS 10/20/2022", 9),
            text(110, 70, "4b EXP 11/03/2027", 9),
            text(60, 78, "15 SEX M", 9),
            text(90, 78, "16 HGT 5'-11\"", 9),
            text(120, 78, "18 EYES BRO", 9),
        ],
    ),
    "lease": (
        "contract",
        {
            "title": "RESIDENTIAL LEASE AGREEMENT",
            "party_1": "Maple Court Properties LLC",
            "party_2": "Henry Dalton",
            "currency": "USD",
            "effective_date": "2024-03-01",
            "governing_law": "Vermont",
        },
        [
            text(55, 20, "RESIDENTIAL LEASE AGREEMENT", 14),
            text(
                20,
                35,
                'This Residential Lease Agreement (the "Lease") is entered into as of March '
                "1, 2024 by and/ between Maple Court Properties LLC, a Vermont limited liability "
                'company ("Landlord"), and/ Henry Dalton ("Tenant").',
            ),
            text(
                20,
                55,
                "1. Premises. Landlord hereby leases to Tenant the apartment at 5 Maple Court, "
                "Burlington./ 2. Rent. Tenant shall pay $1,450.00 a month on the first "
                "day of every "
                "month./ 3. Term. The term of this Lease shall begin on the effective date and run "
                "for twelve months./ 4. Obligations. The parties hereby agree to keep "
                "the premises in "
                "good repair at all times./ 5. Governing Law. This Lease shall be "
                "governed by the laws "
                "of the State of Vermont./ IN WITNESS WHEREOF, the parties have signed "
                "this Lease on "
                "the date first written above.",
            ),
        ],
    ),
    "german employment contract": (
        "contract",
        {
            "title": "Arbeitsvertrag",
            "party_1": "Kranbau Nord GmbH",
            "party_2": "Felix Brandt",
            "effective_date": "2024-02-01",
            "begin_date": "2024-02-01",
            "currency": "EUR",
        },
        [
            text(80, 20, "Arbeitsvertrag", 16),
            text(
                20,
                35,
                "zwischen/ Kranbau Nord GmbH, Werftstraße 2, 24143 Kiel/ - Arbeitgeber -/ und",
            ),
            text(20, 56, "Herrn Felix Brandt, Seeweg 9, 24105 Kiel/ - Arbeitnehmer -"),
            text(20, 70, "wird folgender Vertrag geschlossen:"),
            text(
                20,
                78,
                "§ 1 Das Arbeitsverhältnis beginnt am 01.02.2024 und wird auf unbestimmte Zeit "
                "geschlossen./ § 2 Der Arbeitnehmer wird als Schlosser eingestellt und "
                "arbeitet in der "
                "Werft in Kiel./ § 3 Die Vergütung beträgt 3.400,00 € brutto und wird "
                "am Ende jedes "
                "Monats gezahlt./ § 4 Für die Kündigung gelten die gesetzlichen Fristen beider "
                "Vertragspartner dieses Vertrags.",
            ),
        ],
    ),
    "business letter": (
        "letter",
        {
            "date": "2024-05-14",
            "sender": "Priya Raman",
            "sender_organisation": "Northgate Housing Association",
            "recipient": "Mr Colin Webb",
            "subject": "Window repairs at Ashdown House",
            "reference": "NHA/2291",
        },
        [
            text(110, 18, "Northgate Housing Association/ 1 Market Square/ Derby DE1 3AH"),
            text(20, 40, "Mr Colin Webb/ Flat 6, Ashdown House/ Derby DE1 5TT"),
            text(20, 60, "Our ref: NHA/2291"),
            text(20, 66, "14 May 2024"),
            text(20, 76, "Dear Mr Webb,"),
            text(20, 84, "Re: Window repairs at Ashdown House"),
            text(
                20,
                94,
                "Thank you for your letter about the windows in your flat, which we received "
                "last week./ We are pleased to tell you that the repairs will begin in "
                "the first week "
                "of June and that/ our contractor will call you to agree on a day that suits you.",
            ),
            text(20, 120, "Yours sincerely,"),
            text(20, 138, "Priya Raman/ Housing Officer"),
        ],
    ),
    "resume of one column": (
        "resume",
        {
            "name": "Malik Thompson",
            "email": "malik.thompson@example.org",
            "phone": "(312) 555-0199",
            "location": "Chicago, IL",
            "education": "University of Illinois, BS in Accounting",
            "current_title": "Senior Accountant",
            "current_employer": "Lakefront Logistics",
        },
        [
            text(70, 18, "Malik Thompson", 18),
            text(40, 28, "Chicago, IL | (312) 555-0199 | malik.thompson@example.org"),
            text(20, 40, "SUMMARY", 12),
            text(20, 47, "Accountant with ten years of experience in logistics and retail."),
            text(20, 58, "EXPERIENCE", 12),
            text(20, 65, "Senior Accountant, Lakefront Logistics"),
            text(190, 65, "2019 - Present", right=True),
            text(20, 71, "• Closed the books of four subsidiaries each month/ • Led two audits"),
            text(20, 86, "Staff Accountant, Corner Retail Inc."),
            text(190, 86, "2014 - 2019", right=True),
            text(20, 100, "EDUCATION", 12),
            text(20, 107, "University of Illinois, BS in Accounting, 2014"),
            text(20, 118, "SKILLS/ Excel, SAP, QuickBooks"),
        ],
    ),
}

ASIAN_PAPERS: dict[str, tuple[str, Paper]] = {
    "japanese invoice": (
        "HeiseiMin-W3",
        (
            "invoice",
            {
                "vendor_name": "株式会社みどり商事",
                "customer_name": "株式会社あおば工業",
                "invoice_number": "INV-20240630",
                "invoice_date": "2024-06-30",
                "due_date": "2024-07-31",
                "subtotal": "50000",
                "tax": "5000",
                "total": "55000",
                "currency": "JPY",
            },
            [
                text(90, 18, "請求書", 18),
                text(20, 35, "株式会社あおば工業 御中"),
                text(130, 30, "請求書番号: INV-20240630/ 発行日: 2024年6月30日"),
                text(130, 45, "株式会社みどり商事/ 東京都千代田区1-2-3/ 登録番号: T1234567890123"),
                text(20, 60, "お支払期限: 2024年7月31日"),
                grid(75, (20, -120, -150, -190), "品名|数量|単価|金額", "部品A|10|¥5,000|¥50,000"),
                grid(95, (120, -190), "小計|¥50,000", "消費税(10%)|¥5,000", "合計|¥55,000"),
            ],
        ),
    ),
    "chinese invoice": (
        "STSong-Light",
        (
            "invoice",
            {
                "vendor_name": "北京样本贸易有限公司",
                "customer_name": "上海示例科技有限公司",
                "invoice_number": "24500112",
                "invoice_date": "2024-03-18",
                "subtotal": "1000.00",
                "tax": "130.00",
                "total": "1130.00",
                "currency": "CNY",
            },
            [
                text(90, 18, "增值税发票", 16),
                text(140, 28, "发票号码: 24500112/ 开票日期: 2024年3月18日"),
                text(20, 45, "购买方: 上海示例科技有限公司"),
                text(20, 52, "销售方: 北京样本贸易有限公司"),
                grid(70, (20, -110, -150, -190), "商品|数量|单价|金额", "显示器|1|1000.00|1000.00"),
                grid(90, (120, -190), "小计|¥1000.00", "税额|¥130.00", "价税合计|¥1130.00"),
            ],
        ),
    ),
}
