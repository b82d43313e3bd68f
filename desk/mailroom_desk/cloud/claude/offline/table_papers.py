"""Data: labels of contracts, resumes, forms, identity papers, letters. Format: see `labels`."""

PAPER_LABELS = """\
agreement_number (id): agreement number | agreement no | contract number | contract no
    | contract # | master agreement | vertragsnummer | vertrag nr | numero de contrat | contrat n'
    | n' contrat | numero de contrato | contrato n' | numero contratto | contractnummer

effective_date (date): effective date | effective as of | effective from | effective
    | with effect from | commencement date | start of cover | cover starts | dated as of | dated
    | date of agreement | datum des inkrafttretens | vertragsbeginn | date d'effet | prise d'effet
    | fecha de entrada en vigor | data di decorrenza | ingangsdatum | data de inicio

begin_date (date): begin date | effective begin date | start date | term start | beginning date
    | commencement date | vertragsbeginn | date de debut | fecha de inicio | data di inizio
    | begindatum | mietbeginn | beginn der laufzeit

expiration_date (date): expiration date | expiry date | end date | termination date
    | effective end date | term end | expires on | expires | valid until | vertragsende
    | date de fin | date d'expiration | fecha de vencimiento | fecha de termino | data di scadenza
    | einddatum | mietende | data de termino

governing_law (text): governing law | applicable law | anwendbares recht | droit applicable
    | ley aplicable | legge applicabile | toepasselijk recht | lei aplicavel

policy_number (id): policy number | policy no | policy # | versicherungsnummer
    | versicherungsschein nr | numero de police | police n' | numero de poliza | poliza n'
    | numero polizza | polisnummer | apolice n'

principal (amount): principal amount | principal sum | principal | loan amount | darlehensbetrag
    | montant du pret | importe del prestamo

party_1 (party): party 1 | first party | party a | landlord | lessor | seller | licensor | lender
    | employer | client | disclosing party | provider | vermieter | verkaufer | bailleur | vendeur
    | arrendador | locatore | verhuurder

party_2 (party): party 2 | second party | party b | tenant | lessee | buyer | licensee | borrower
    | employee | contractor | receiving party | customer | mieter | kaufer | locataire | acheteur
    | arrendatario | conduttore | huurder | insured | policyholder
    | policy holder | named insured | versicherungsnehmer | souscripteur | assure | tomador
    | asegurado | contraente | verzekeringnemer

name (person): name | full name | name surname | nom | nombre | nome | naam | 氏名 | 姓名

email (email): email | e mail | e-mail address | courriel | correo

phone (phone): phone | telephone | mobile | tel | cell | telefon | telefono | telefoon | telefone

location (text): location | address | city | wohnort | adresse | ubicacion | indirizzo
    | woonplaats

tax_year (text): tax year | for calendar year | calendar year

payer_name (party):
    payer's name street address city or town state or province country zip
    | country zip or foreign postal code and telephone no
    | or foreign postal code and telephone no | zip or foreign postal code and telephone no
    | payer's name | payer name | payer | recipient's/lender's name | lender's name | filer's name
    | recipient lender's name
    | recipient's/lender's name street address city or town state or province country zip
    | filer's name street address city or town state or province country zip

payer_tin (tin): payer's tin | payer tin | payer's federal identification number
    | recipient's federal identification no | lender's federal identification number
    | recipient's/lender's tin | filer's tin

recipient_name (person): recipient's name | recipient name | recipient | borrower's name
    | student's name | payer's/borrower's name | payee

recipient_tin (tin): recipient's tin | recipient tin | recipient's identification number
    | borrower's tin | borrower's social security number | borrower's taxpayer identification no
    | student's tin | payer's/borrower's tin

employer_name (party): employer's name address and zip code
    | c employer's name address and zip code | employer's name | employer name | name of employer
    | employer | employer's full name and address
    | anschrift und steuernummer des arbeitgebers | arbeitgeber

employer_ein (tin): employer identification number ein
    | b employer identification number (ein) | employer identification number | employer's ein
    | ein | employer id number

employee_name (person): employee's first name and initial
    | e employee's first name and initial last name | employee's name | employee name
    | name of employee | employee

employee_ssn (tin): employee's social security number | a employee's social security number
    | social security number | ssn

taxpayer_name (person): your first name and middle initial | taxpayer name | name of taxpayer
    | name(s) shown on return

wages (amount): wages tips other compensation | 1 wages tips other compensation
    | wages tips other comp | total amount from form(s) w-2 box 1
    | total for year | bruttoarbeitslohn | 3 bruttoarbeitslohn
    | wages salaries tips etc attach form(s) w-2 | wages salaries tips | wages

federal_tax_withheld (amount): federal income tax withheld | 2 federal income tax withheld
    | 4 federal income tax withheld | federal tax withheld

surname (person): surname | last name | family name | surname/nom | nom | name/surname | nachname
    | familienname | apellidos | apellido | primer apellido | cognome | achternaam | apelido
    | sobrenome | ln || name || 1

given_name (person): given names | given name | first name | forenames | given names/prenoms
    | prenoms | prenom | prenom(s) | vorname | vornamen | nombres | nombre | nome | voornamen
    | voornaam | nomes proprios | fn || 2

document_number (document): 4d dl | 4d dln | 4d lic | 4d lic no | 4d customer identifier
    | 4d number | passport no | passport no/n' de passeport | passport number
    | document number | document no | card number | card no | licence number | license number
    | license no | licence no | dl no | dln | dl | lic no | customer identifier | id number
    | id no | identity card no | uscis # | uscis | n' de passeport | carte nationale d'identite n'
    | ausweisnummer | reisepass nr | pass nr | personalausweis nr | numero de documento
    | num documento | dni | nie | aadhaar no | your aadhaar no | numero documento
    | carta d'identita n' | documentnummer | n' du document | num soporte | 4d || 5 | no | #

date_of_birth (date): 3 dob | date of birth | birth date | date of birth/date de naissance
    | dob | born
    | geburtsdatum | geburtstag | date de naissance | ne(e) le | ne le | nee le
    | fecha de nacimiento | data di nascita | date de naiss | nato il | geboortedatum
    | data de nascimento
    | 生年月日 | 出生日期 || 3

issue_date (date): 4a iss | 4a issued | date of issue | date of issue/date de delivrance
    | issue date | issued on
    | issued | iss | date issued | ausstellungsdatum | ausgestellt am | date de delivrance
    | delivre(e) le | emision | fecha de expedicion | fecha de emision | data di rilascio
    | datum van afgifte | data de emissao | resident since | 4a

expiry_date (date): 4b exp | 4b expires | date of expiry | date of expiry/date d'expiration
    | date of expiration
    | expiration date | expiry date | expires on | card expires | expires | expiry | exp
    | valid until | valid thru | gultig bis | date d'expiration | valable jusqu'au
    | date d'expir | validez | fecha de caducidad | fecha de vencimiento | valido hasta
    | data di scadenza | scadenza
    | geldig tot | data de validade | validade | 4b

issuer (text): issuing authority | authority | issued by | issuing country | behorde | autorite
    | autoridad

date (date): date | dated | datum | le | fecha | data | 日付 | sent

sender (person): from | von | de | da | van | sender | absender

recipient (person): to | an | a | aan | para | attention | attn | recipient

subject (text): subject | re | betreff | betrifft | betr | betreft | objet | concerne | sujet
    | asunto | oggetto | onderwerp | assunto | 件名

reference (id): our ref | reference | ref | your ref | unser zeichen | aktenzeichen
    | nos references | ref n' | n/ref | nuestra referencia | referencia | riferimento | ns rif
    | ons kenmerk | kenmerk | referentie | unsere referenz | geschaftszeichen | prot n | prot
    | protocollo | expediente | dossier n'
"""
