"""The offline reader on statements, agreements, letters, resumes, forms and cards, as plain text.

Each test is one kind of layout that was read wrong or not at all before.
"""

from typing import Any

import pytest

from mailroom.classes import packaged_classes
from mailroom_desk.cloud.claude.offline.prompt import Document, Page, parse_prompt
from mailroom_desk.cloud.claude.offline.reader import Tool, choose_tool, fill

TOOLS = {
    each.name: Tool(each.name, each.description, each.schema)
    for each in packaged_classes().by_name.values()
}


def lines(text: str) -> Document:
    """A document of lines that slashes between spaces divide."""
    return parse_prompt(text.replace(" / ", "\n"))


def read(text: str, document_class: str) -> dict[str, Any]:
    return fill(lines(text), TOOLS[document_class])


def chosen(text: str) -> str:
    return choose_tool(lines(text), list(TOOLS.values())).name


@pytest.mark.parametrize(
    "text",
    [
        "Kontoauszug / Kontostand am 31.01.2025 / 2.318,40+ / Miete / 740,00- / "
        "Kontostand am 28.02.2025 / 1.578,40+",
        "Relevé de compte / Montants en euros / SOLDE CRÉDITEUR AU 31/01/2025 2 318,40 / "
        "LOYER / 740,00 / SOLDE CRÉDITEUR AU 28/02/2025 1 578,40",
    ],
)
def test_two_balances_of_one_name_are_told_apart_by_their_days(text: str) -> None:
    found = read(text, "bank_statement")
    assert (found["opening_balance"], found["closing_balance"]) == ("2318.40", "1578.40")


def test_balance_that_the_customer_owes_is_negative() -> None:
    found = read(
        "Relevé / Solde débiteur au 31/01/2025 318,40 / Solde créditeur au 28/02/2025 20,00",
        "bank_statement",
    )
    assert (found["opening_balance"], found["closing_balance"]) == ("-318.40", "20.00")


def test_day_of_a_balance_is_not_the_day_of_the_statement() -> None:
    found = read(
        "Relevé de compte / Solde au 31/01/2025 318,40 / Solde au 28/02/2025 20,00",
        "bank_statement",
    )
    assert "statement_date" not in found


def test_sums_of_a_statement_stand_in_the_row_of_sums() -> None:
    table = [
        ["Date", "Libellé", "Débit", "Crédit"],
        ["04/03", "Loyer", "890,00", ""],
        ["12/03", "Salaire", "", "1 840,00"],
        ["", "TOTAL DES OPÉRATIONS", "890,00", "1 840,00"],
    ]
    found = fill(Document([Page(["Relevé de compte"], [], [table])]), TOOLS["bank_statement"])
    assert (found["total_withdrawals"], found["total_deposits"]) == ("890.00", "1840.00")


def test_savings_account_stands_in_the_list_of_accounts() -> None:
    table = [
        ["Account", "Account Number", "Ending Balance"],
        ["Everyday Checking", "004417728190", "$3,890.55"],
        ["Goal Savings", "004417728208", "$12,045.88"],
    ]
    found = fill(Document([Page(["Account statement"], [], [table])]), TOOLS["bank_statement"])
    assert found["savings_account_number"] == "004417728208"
    assert found["savings_balance"] == "12045.88"


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("IBAN: DE21 5405 0220 0012 3456 78 BIC: SPOWDE51XXX", "DE21 5405 0220 0012 3456 78"),
        ("IBAN CH31 0070 0112 3456 7890 1", "CH31 0070 0112 3456 7890 1"),
    ],
)
def test_iban_of_a_statement_is_whole_and_ends_before_the_next_word(line: str, number: str) -> None:
    assert read(f"Kontoauszug / {line}", "bank_statement")["account_number"] == number


@pytest.mark.parametrize(
    "text",
    [
        "Larkfield Bank / Sort code / Mr Owen Pritchard / 20-44-71 / 14 Quarry Rise",
        "Regionalbank Thurtal AG / Mr / Owen Pritchard / Kirchweg 5 / 8570 Weinfelden",
    ],
)
def test_account_holder_is_never_the_bank(text: str) -> None:
    holder = read(f"{text} / Account statement", "bank_statement")["account_holder"]
    assert holder.removeprefix("Mr ") == "Owen Pritchard"


@pytest.mark.parametrize(
    ("text", "parties"),
    [
        (
            "This agreement is made between Fennimore Textiles, Inc., an Ohio corporation, and "
            "Dr. Rosalind Achterberg, an individual residing in Dayton.",
            ("Fennimore Textiles, Inc.", "Dr. Rosalind Achterberg"),
        ),
        (
            "ENTRE LES SOUSSIGNÉS : / La société Atelier Vernay, SARL, ci-après « le Client », / "
            "ET : / Madame Mathilde Courcelles, graphiste, ci-après « le Prestataire »,",
            ("Atelier Vernay", "Mathilde Courcelles"),
        ),
        (
            "REUNIDOS / De una parte, D. Joaquín Belmonte Rius, mayor de edad. / "
            "De otra parte, Dña. Aitana Moncada Pérez, mayor de edad.",
            ("Joaquín Belmonte Rius", "Aitana Moncada Pérez"),
        ),
        (
            "De ondergetekenden: / 1. Kwekerij De Linde B.V., gevestigd te Boskoop; en / "
            "2. mevrouw Sanne Oosterhuis, wonende te Gouda,",
            ("Kwekerij De Linde B.V.", "Sanne Oosterhuis"),
        ),
        (
            'The undersigned, Gideon Ashcombe ("Borrower"), promises to pay to the order of '
            'Larkspur Credit LLC ("Lender") the principal sum.',
            ("Gideon Ashcombe", "Larkspur Credit LLC"),
        ),
    ],
)
def test_parties_as_agreements_of_many_countries_set_them_out(
    text: str, parties: tuple[str, str]
) -> None:
    found = read(text, "contract")
    assert (found["party_1"], found["party_2"]) == parties


def test_parties_stand_beside_the_labels_of_their_roles() -> None:
    table = [["Vermieter", "Henriette Vogtmann, Bachgasse 4"], ["Mieter", "Tarek Osmanovic"]]
    found = fill(Document([Page(["Mietvertrag"], [], [table])]), TOOLS["contract"])
    assert (found["party_1"], found["party_2"]) == ("Henriette Vogtmann", "Tarek Osmanovic")


def test_buyer_alone_is_no_party() -> None:
    found = read("Master Agreement / Buyer: Jennifer Lorenz / Version: 3", "contract")
    assert "party_2" not in found


@pytest.mark.parametrize(
    "clause",
    [
        "This Agreement shall commence on April 1, 2025 and continue until March 31, 2026.",
        "Das Mietverhältnis beginnt am 01.04.2025 und endet am 31.03.2026.",
        "Le contrat prend effet le 1er avril 2025 et expire le 31 mars 2026.",
        "El plazo será de un año, desde el 1 de abril de 2025 hasta el 31 de marzo de 2026.",
        "De overeenkomst gaat in op 1 april 2025 en eindigt op 31 maart 2026.",
        "Period of insurance: from 1 April 2025 to 31 March 2026",
    ],
)
def test_term_of_an_agreement_stands_in_its_clause(clause: str) -> None:
    found = read(f"Agreement / {clause}", "contract")
    assert (found["begin_date"], found["expiration_date"]) == ("2025-04-01", "2026-03-31")


@pytest.mark.parametrize(
    "sentence",
    [
        "The office is closed until January 6, 2025.",
        "Reports are due for the fiscal year ending December 31, 2025.",
    ],
)
def test_a_day_in_another_sentence_does_not_end_an_agreement(sentence: str) -> None:
    assert "expiration_date" not in read(f"Agreement / {sentence}", "contract")


@pytest.mark.parametrize(
    ("text", "recipient"),
    [
        (
            "Frau / Sabine Tiedemann / Zeichen: WA-118 / 56073 Koblenz / Wartung Ihrer Heizung / "
            "Sehr geehrte Frau Tiedemann,",
            "Sabine Tiedemann",
        ),
        (
            "Mevrouw L. Hoekstra / Dijkweg 101 / 9512 PA Nieuwdiep / Behandeld door: / "
            "W. Terpstra / Geachte mevrouw Hoekstra,",
            "Mevrouw L. Hoekstra",
        ),
        (
            "Mairie de Corbières / Place de la Halle / Madame, Monsieur, / Monsieur Hugo Delmas / "
            "6 rue des Écoles",
            "Monsieur Hugo Delmas",
        ),
    ],
)
def test_recipient_is_whom_the_greeting_names_or_the_address_honours(
    text: str, recipient: str
) -> None:
    assert read(text, "letter")["recipient"] == recipient


@pytest.mark.parametrize(
    "text",
    [
        "18 February 2025 / Dear Mr Coles / Vaccination reminder for Biscuit / Our records show.",
        "56073 Koblenz / Vaccination reminder for Biscuit / Dear Mr Coles, / our records show it.",
        "Betreft: Vaccination reminder for Biscuit / Geachte heer Coles,",
    ],
)
def test_subject_stands_beside_the_greeting_with_a_label_or_without(text: str) -> None:
    assert read(text, "letter")["subject"] == "Vaccination reminder for Biscuit"


@pytest.mark.parametrize(
    "line", ["Louisville, Kentucky 40201", "Our records show it.", "14 March 2025"]
)
def test_what_stands_above_a_greeting_is_not_always_a_subject(line: str) -> None:
    text = f"Mr Coles / 9 Weir Street / {line} / Dear Mr Coles, / thank you for your letter."
    assert "subject" not in read(text, "letter")


def test_sender_of_a_letter_may_stand_in_its_foot() -> None:
    found = read(
        "Mr Adrian Coles / 9 Weir Street / Kendal / Dear Mr Coles / We wrote to you. / "
        "Kind regards / Marguerite Fallon / "
        "Thistledown Veterinary Practice · 40 Mill Road · Kendal LA9 7RB",
        "letter",
    )
    assert found["sender_organisation"] == "Thistledown Veterinary Practice"
    assert found["sender"] == "Marguerite Fallon"


@pytest.mark.parametrize("text", ["Hi Sam, / see below.", "To whom it may concern / Best Regards"])
def test_greeting_and_closing_are_no_organisation(text: str) -> None:
    assert "sender_organisation" not in read(text, "letter")


def test_title_of_a_person_behind_a_comma_is_no_part_of_the_name() -> None:
    found = read("MEMORANDUM / FROM: Nadia Brightwell, Site Manager / TO: All staff", "letter")
    assert found["sender"] == "Nadia Brightwell"


def test_french_letter_is_known_by_its_courtesy() -> None:
    text = (
        "Objet : Travaux / Monsieur, / Le stationnement est interdit. / "
        "Je vous prie d'agréer, Monsieur, mes salutations distinguées. / Solène Marchetti"
    )
    assert chosen(text) == "letter"
    assert read(text, "letter")["sender"] == "Solène Marchetti"


@pytest.mark.parametrize(
    "text",
    [
        "Berufserfahrung / seit 03/2016 / Chef, Lechfeld Maschinen / 2010 – 2016 / Koch, Haus Nord",
        "EXPÉRIENCE / 2019 - aujourd'hui : Chef, Lechfeld Maschinen, Nantes",
        "Chef, Lechfeld Maschinen / May 2021 – Present / Baker, Harbor Cafe / 2016 – 2021",
        "WORK EXPERIENCE / CONTACT / Chef / m@example.net / Lechfeld Maschinen | 2020 – Present",
    ],
)
def test_current_position_is_the_one_that_goes_on(text: str) -> None:
    found = read(text, "resume")
    assert (found["current_title"], found["current_employer"]) == ("Chef", "Lechfeld Maschinen")


def test_name_in_two_lines_is_known_by_the_address_of_the_mailbox() -> None:
    text = "Theodora / PROFILE / Lindqvist / Lead Data Engineer / t.lindqvist@example.net"
    assert read(text, "resume")["name"] == "Theodora Lindqvist"


def test_location_is_the_address_and_no_employers_town() -> None:
    text = "Éloïse Garrigue / 12 rue du Port, 44000 Nantes / Responsable, Kervadec, Brest"
    assert read(text, "resume")["location"] == "44000 Nantes"


def test_number_of_a_publication_is_no_telephone() -> None:
    assert "phone" not in read("Jane Roe / doi 10.1109/TASC.2023.1234567", "resume")


def test_resume_without_headings_is_known_by_its_stations() -> None:
    text = (
        "Marlon Whitcombe / marlon.w@example.com / Pastry Chef, Juniper Bakery / "
        "2021 – Present / Baker, Harbor Street Cafe / 2016 – 2021"
    )
    assert chosen(text) == "resume"


def test_british_and_german_wage_forms() -> None:
    british = read(
        "P60 End of Year Certificate / Surname: Devlin / Forenames: Priyanka / "
        "Total for year: 34,250.00 / Employer's full name and address / Moorgate Works Ltd",
        "tax_form",
    )
    assert (british["form"], british["employee_name"]) == ("P60", "Priyanka Devlin")
    assert (british["wages"], british["employer_name"]) == ("34250.00", "Moorgate Works Ltd")

    text = (
        "Lohnsteuerbescheinigung für 2024 / Herrn / Volker Brink / 3. Bruttoarbeitslohn 48.320,50"
    )
    german = read(text, "tax_form")
    assert chosen(text) == "tax_form"
    assert (german["form"], german["employee_name"]) == ("Lohnsteuerbescheinigung", "Volker Brink")
    assert german["wages"] == "48320.50"


def test_label_that_is_a_whole_sentence_has_its_value_under_it() -> None:
    label = "PAYER'S name, street address, city or town, state or province, country, ZIP"
    table = [[label, "OMB No. 1545-0112"], ["Cedar Hollow Savings 1 Bank Plaza", "Form 1099-INT"]]
    found = fill(Document([Page([], [], [table])]), TOOLS["tax_form"])
    assert found["payer_name"] == "Cedar Hollow Savings"


def test_label_in_several_languages_is_one_label() -> None:
    found = read(
        "PERSONALAUSWEIS / Name/Surname/Nom / KRATOCHWIL / Vornamen/Given names/Prénoms / "
        "MIRIAM ELISE / Geburtstag/Date of birth/Date de naissance / 24.12.1987",
        "id_document",
    )
    assert (found["surname"], found["given_name"]) == ("KRATOCHWIL", "MIRIAM ELISE")
    assert found["date_of_birth"] == "1987-12-24"


def test_number_of_a_card_stands_alone() -> None:
    text = "PERSONALAUSWEIS / L3X7K92M1 / Gültig bis / 17.08.2030 / Zugangsnummer / 938568"
    assert read(text, "id_document")["document_number"] == "L3X7K92M1"


def test_card_with_two_surnames_and_its_days() -> None:
    found = read(
        "DOCUMENTO NACIONAL DE IDENTIDAD / APELLIDOS / SALVATIERRA / MUÑIZ / NOMBRE / ELVIRA / "
        "VALIDEZ / 12 11 2032 / DNI 99999999R",
        "id_document",
    )
    assert (found["surname"], found["expiry_date"]) == ("SALVATIERRA MUÑIZ", "2032-11-12")


def test_licence_of_a_country_that_writes_the_day_first() -> None:
    found = read(
        "PATENTE DI GUIDA REPUBBLICA ITALIANA / 1. BONFIGLIO / 2. TOMMASO / 3. 03/02/79 ROMA",
        "id_document",
    )
    assert (found["document_type"], found["date_of_birth"]) == ("PATENTE DI GUIDA", "1979-02-03")


def test_first_of_several_types_counts() -> None:
    text = "PERSONALAUSWEIS/IDENTITY CARD/CARTE D'IDENTITÉ"
    assert read(text, "id_document")["document_type"] == "PERSONALAUSWEIS"


def test_heading_of_a_part_is_no_title() -> None:
    text = "Winter Foraging of the Marsh Tit / Hazel Broome / Abstract / We followed 38 birds."
    assert read(text, "other")["title"] == "Winter Foraging of the Marsh Tit"


def test_ticket_to_a_museum_is_no_receipt() -> None:
    text = "Biglietto di ingresso / Museo della Seta / 12 luglio 2025, ore 15:30 / Intero € 14,00"
    assert chosen(text) == "other"


@pytest.mark.parametrize(
    ("text", "parties"),
    [
        (
            "Zwischen der Schreinerei Huber GmbH, Werkstraße 1 (im Folgenden „Arbeitgeber“) und "
            "Frau Annika Solms, Innweg 5, wird vereinbart:",
            ("Schreinerei Huber GmbH", "Annika Solms"),
        ),
        (
            "Tra il Sig. Fulvio Marangoni, nato a Udine, di seguito il Locatore, e la Sig.ra "
            "Greta Colombini, nata a Trieste, si conviene quanto segue:",
            ("Fulvio Marangoni", "Greta Colombini"),
        ),
    ],
)
def test_articles_and_titles_are_no_part_of_a_partys_name(
    text: str, parties: tuple[str, str]
) -> None:
    found = read(text, "contract")
    assert (found["party_1"], found["party_2"]) == parties


def test_couple_that_shares_an_account_is_its_holder() -> None:
    found = read("Kontoauszug / Eheleute / Kurt und Ilse Ranft / Talweg 8", "bank_statement")
    assert found["account_holder"] == "Kurt und Ilse Ranft"


def test_sort_code_is_no_date() -> None:
    found = read("Account statement / Account number: 51882204 / 09-01-29 / Sort code", "letter")
    assert "date" not in found


def test_employer_may_stand_under_the_title_and_its_years() -> None:
    found = read(
        "EXPERIENCIA / Técnico de mantenimiento / 2018 - actualidad / Hotel Azul, Torremolinos / "
        "- Reparación de instalaciones",
        "resume",
    )
    assert found["current_title"] == "Técnico de mantenimiento"
    assert found["current_employer"] == "Hotel Azul"


def test_postal_code_with_the_letters_of_a_legal_form_is_an_address() -> None:
    text = "Femke van Loon / Domstraat 2, 3511 AB Utrecht / 2015 – 2019 / Zorg, Centrum Linde"
    assert read(text, "resume")["location"] == "3511 AB Utrecht"


def test_tax_year_is_a_year() -> None:
    found = read("Form 1098 / For calendar year / Bluff City Mortgage / 2024", "tax_form")
    assert found["tax_year"] == "2024"


def test_day_on_which_a_term_ends_is_not_the_one_on_which_it_begins() -> None:
    found = read("Agreement / The term starts at once and ends on June 30, 2027.", "contract")
    assert "begin_date" not in found
    assert found["expiration_date"] == "2027-06-30"


def test_contract_of_sale_is_known_by_its_name_and_its_parties() -> None:
    text = (
        "Kaufvertrag / Verkäufer: Dietmar Wolff, Ahornweg 3 / Käufer: Selin Aydogan, Weg 1 / "
        "Kaufpreis: 9.400,00 EUR / Der Verkäufer erklärt, dass das Fahrzeug unfallfrei ist."
    )
    assert chosen(text) == "contract"
    assert read(text, "contract")["party_1"] == "Dietmar Wolff"


def test_letter_of_a_person_is_not_addressed_to_its_writer() -> None:
    text = (
        "Tobias Renner / Gartenweg 1 / 39576 Stendal / Verein Altmark / Lindenstraße 40 / "
        "39576 Stendal / 15. August 2025 / Kündigung meiner Versicherung / "
        "Sehr geehrte Damen und Herren, / hiermit kündige ich. / Mit freundlichen Grüßen / "
        "Tobias Renner"
    )
    assert read(text, "letter")["recipient"] == "Verein Altmark"


@pytest.mark.parametrize("telephone", ["", " | 0155 501 842"])
def test_house_at_the_head_of_an_address_is_no_organisation(telephone: str) -> None:
    found = read(
        f"Fenwick Borough Council / Town Hall, High Street, Fenwick FE1 1AA{telephone} / "
        "The Occupier / "
        "18 Mill View / Fenwick FE2 4RD / Dear Sir or Madam,",
        "letter",
    )
    assert found["sender_organisation"] == "Fenwick Borough Council"
    assert found["recipient"] == "The Occupier"


def test_months_stand_before_the_years_of_a_station() -> None:
    found = read(
        "ESPERIENZA / Da marzo 2019 ad oggi / Responsabile acquisti presso Officine Dora", "resume"
    )
    assert found["current_title"] == "Responsabile acquisti"
    assert found["current_employer"] == "Officine Dora"


def test_days_of_a_licence_stand_side_by_side() -> None:
    found = read("PERMIS DE CONDUIRE / 1. TESSIER / 4a. 09.08.2021  4b. 08.08.2036", "id_document")
    assert (found["issue_date"], found["expiry_date"]) == ("2021-08-09", "2036-08-08")


@pytest.mark.parametrize(
    ("text", "document_class", "field"),
    [
        ("Anmeldung zum Kurs / Geburtsdatum: / 12.08.2017", "other", "date"),
        (
            "Contratto / Fulvio Marangoni, nato a Udine il 4 maggio 1960",
            "contract",
            "effective_date",
        ),
    ],
)
def test_day_of_birth_is_not_the_day_of_the_paper(
    text: str, document_class: str, field: str
) -> None:
    assert field not in read(text, document_class)
