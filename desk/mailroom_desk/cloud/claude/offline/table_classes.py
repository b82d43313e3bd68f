"""Data: words of the document classes. Format: see `keywords`."""

CLASS_WORDS = """\
invoice title: invoice | tax invoice | credit note | credit memo | pro forma invoice | bill
    | rechnung | jahresrechnung | schlussrechnung | abschlagsrechnung | teilrechnung
    | sammelrechnung | rechnungskorrektur | gutschrift | facture | avoir | factura | fattura
    | nota di credito | factuur
    | creditnota | fatura | nota fiscal | 請求書 | 发票 | 發票 | فاتورة

invoice 4: invoice number | invoice no | invoice # | rechnungsnummer | rechnungsnr | rechnung nr
    | numero de facture | facture n' | n' facture | numero de factura | factura n'
    | numero fattura | fattura n | factuurnummer | numero da fatura | fatura n' | 請求書番号
    | 发票号码 | رقم الفاتورة

invoice 3: invoice date | rechnungsdatum | date de facture | fecha de factura | data fattura
    | factuurdatum | factuur datum | data da fatura | bill to | billed to | invoice to
    | facturer a | facturar a | fatturare a | factuuradres | amount due | balance due | due date
    | vervaldatum | date d'echeance | falligkeitsdatum | fecha de vencimiento

invoice 2: invoice | rechnung | facture | factura | fattura | factuur | fatura | payment terms
    | imponibile | base imponible | totale documento | spett le
    | total due | zahlbar | net a payer | gesamtbetrag | remit to | please pay
    | make all checks payable | terms net | vat number | steuernummer

invoice 1: subtotal | sub total | unit price | quantity | qty | tax | vat | mwst | tva | iva | btw
    | total | iban | amount | p.o. number | po number

receipt title: receipt | sales receipt | cash receipt | payment receipt | quittung | kassenbon
    | kassenbeleg | recu | ticket de caisse | ticket | recibo | scontrino | ricevuta | kassabon
    | bon | cupom fiscal | 領収書 | レシート | 领収証 | 收据 | إيصال

receipt 4: thank you for your purchase | thank you for shopping | customer copy | merchant copy
    | cardholder copy | change due | cash tendered | ticket de caisse | kassenbon | scontrino
    | 領収書 | レシート | お釣り | お預り

receipt 3.5: gracias por su visita | sales associate | お預 | 預 | 現計 | mesa | ticket no
    | thanks for ordering | order details

receipt 3: receipt | cashier | gratuity | tip | auth code | approval code | card type
    | amount tendered | payment received | paid with | thank you for your payment | paid by
    | gracias por su compra | merci de votre visite | vielen dank fur ihren einkauf | recu
    | recibo | trinkgeld | propina

receipt 2: visa | mastercard | amex | debit | cash | change | thank you | merci | gracias | grazie
    | danke | bar | espèces | efectivo | contanti | contant | store | server | table | guests
    | terminal | register | 合計 | 小計 | payment method | credit card | carte bancaire

receipt 1: total | subtotal | tax | tva | iva | mwst | btw | qty | items

purchase_order title: purchase order | p.o. | bestellung | bestellschein | bon de commande
    | commande | orden de compra | pedido de compra | ordine d'acquisto | ordine di acquisto
    | inkooporder | bestelbon | ordem de compra | 注文書 | 発注書 | 采购订单

purchase_order 4: purchase order | bon de commande | orden de compra | pedido de compra
    | ordine d'acquisto | inkooporder | ordem de compra | 注文書 | 発注書

purchase_order 3: purchase order number | purchase order no | ship from | shipped from
    | vendor information | requisitioner | f.o.b. point | f.o.b | authorized by | bestellnummer
    | please supply | shipped to

purchase_order 2: po number | p.o. number | p.o. # | po # | po date | ship to | ship via | vendor
    | supplier | order date | deliver to | delivery date | shipping terms | bestelldatum

purchase_order 1: unit price | quantity | qty | subtotal | total

bank_statement title: bank statement | account statement | statement of account
    | statement of accounts | checking account statement | account summary | statement
    | kontoauszug | releve de compte | releve bancaire | extracto bancario | extracto de cuenta
    | estado de cuenta | estratto conto | rekeningafschrift | bankafschrift | extrato bancario
    | extrato de conta | 取引明細書 | 对账单

bank_statement 4: beginning balance | opening balance | ending balance | closing balance
    | statement period | kontoauszug | releve de compte | extracto bancario | estratto conto
    | rekeningafschrift | extrato bancario | bank statement | account statement

bank_statement 3: previous balance | new balance | withdrawals | deposits | anfangssaldo
    | endsaldo | alter saldo | neuer saldo | solde initial | nouveau solde | saldo inicial
    | saldo final | saldo iniziale | saldo finale | beginsaldo | eindsaldo | statement date
    | account summary | statement of account

bank_statement 2: account number | account holder | transactions | transaction history
    | savings account | checking | debit | credit | balance | kontonummer | routing number
    | overdraft | interest paid | sort code

contract title: agreement | contract | amendment | modification | lease | licence agreement
    | license agreement | promissory note | adjustable rate note | fixed rate note
    | insurance policy | policy | terms and conditions | terms of service
    | non disclosure agreement | memorandum of understanding | deed | vertrag | mietvertrag
    | arbeitsvertrag | contrat | bail | contrato | contratto | overeenkomst | huurovereenkomst
    | 契約書 | 合同 | عقد | kaufvertrag | werkvertrag | dienstvertrag | darlehensvertrag
    | pachtvertrag | wartungsvertrag | compromis de vente | contrato de compraventa
    | koopovereenkomst | arbeidsovereenkomst

contract 4: in witness whereof | hereinafter | whereas | governing law | entire agreement
    | this agreement | force majeure | severability | this contract | promise to pay
    | master agreement | dieser vertrag | le present contrat | el presente contrato
    | il presente contratto

contract 3: the parties | hereby | hereto | indemnify | termination | terminate | confidentiality
    | shall be governed | effective date | licensor | licensee | lessor | lessee | landlord
    | tenant | borrower | lender | policyholder | insured | policy number | the insurer
    | vertragspartner | les parties | las partes | le parti | partijen
    | arbeitgeber | arbeitnehmer | kundigung | vergutung | vermieter | mieter | bailleur
    | locataire | arrendador | arrendatario | locatore | conduttore | verhuurder | huurder
    | folgender vertrag | verkaufer | kaufpreis

contract 2: agreement | obligations | liability | warranty | assignment | covenant | clause
    | vertrag | contrat | contrato | contratto | terms and conditions | amendment | signature

contract 1: shall | party | parties | signed | renewal | jurisdiction

resume title: resume | curriculum vitae | cv | lebenslauf | professional summary | hoja de vida
    | curriculo | 履歴書 | 简历

resume 4: curriculum vitae | work experience | professional experience | employment history
    | lebenslauf | berufserfahrung | experience professionnelle | experiencia laboral
    | experiencia profesional | esperienza lavorativa | werkervaring | experiencia profissional
    | 履歴書 | technical skills

resume 3: education | skills | resume | certifications | linkedin | github | formation
    | ausbildung | formacion | istruzione | opleiding | formacao | publications | selected honors
    | honors | hobbies | competences | kenntnisse | habilidades
    | personliche daten | personal details | datos personales | dati personali

resume 2: experience | projects | languages | objective | references | university | bachelor
    | master | volunteer | awards | achievements | interests | gpa | internship | technologies
    | career

tax_form title: w-2 | w-2 wage and tax statement | wage and tax statement | w-9 | w-4 | 1040
    | form 1040 | 1098 | 1098-e | form 1098 | 1099 | form 1099 | 1099-misc | 1099-nec | 1099-int
    | 1099-div | tax return | u.s. individual income tax return | income tax | steuererklarung
    | declaration des revenus | self assessment | request for verification of employment
    | p60 | p45 | p60 end of year certificate | lohnsteuerbescheinigung | einkommensteuerbescheid
    | einkommensteuererklarung | avis d'impot | certificazione unica | jaaropgaaf
    | declaracion de la renta

tax_form 5: lohnsteuerbescheinigung | bruttoarbeitslohn | einbehaltene lohnsteuer
    | privacy act notice | paperwork reduction act | department of the treasury
    | internal revenue service | omb no | wage and tax statement | employer identification number
    | payer's tin | recipient's tin | federal income tax withheld | income tax return
    | p60 | national insurance number | hm revenue & customs | tax code

tax_form 3: form w-2 | form 1040 | form 1099 | form 1098 | w-2 | 1099 | 1098
    | social security number | taxpayer identification | wages tips | tax year | copy b | copy a
    | irs.gov | income tax convention | for recipient | for borrower | filing status | cat. no
    | schedule | finanzamt | tax office | verification of employment | hm revenue

tax_form 1: withheld | taxable | dividends | interest | instructions | corrected | void | ssn
    | ein | tin | form

id_document title: passport | passeport | reisepass | pasaporte | passaporto | paspoort
    | driver license | driver's license | driving licence | fuhrerschein | permis de conduire
    | permiso de conducir | licencia de conducir | patente di guida | rijbewijs | identity card
    | identification card | personalausweis | carte nationale d'identite
    | documento nacional de identidad | carta d'identita | identiteitskaart | permanent resident
    | residence permit | aufenthaltstitel | titre de sejour

id_document 4: passport | passeport | driver license | driving licence | permis de conduire
    | carte nationale d'identite | permanent resident | personalausweis | fuhrerschein
    | identity card | licencia de conducir | unique identification authority | 4d
    | documento nacional de identidad | carta d'identita | rijbewijs

id_document 3: date of birth | date de naissance | geburtsdatum | fecha de nacimiento
    | data di nascita | geboortedatum | data de nascimento | nationality | nationalite
    | nacionalidad | place of birth | given names | given name | surname | prenoms | dob | expires
    | card expires | date of expiry | uscis

id_document 2: sex | sexe | height | hgt | eyes | wgt | iss | exp | donor | class | specimen
    | sample | authority | republique francaise | republic | government of india | end | rest
    | donneur

letter title: memorandum | memo | letter | dear | sehr geehrte | to whom it may concern

letter 6.5: cordially

letter 6: d'agreer | salutations distinguees | hochachtungsvoll | hoogachtend | dear
    | yours faithfully | yours sincerely | sincerely | sincerely yours
    | to whom it may concern | sehr geehrte | mit freundlichen grussen | veuillez agreer
    | cordialement | estimado | estimada | atentamente | egregio | distinti saluti
    | cordiali saluti | geachte | met vriendelijke groet | prezado | atenciosamente | 拝啓 | 敬具

letter 4: kind regards | best regards | regards | memorandum | very truly yours | truly yours
    | respectfully | yours | hi | gentlemen

letter 3: subject | i am writing | enclosed | enclosure | cc | please find attached
    | look forward to hearing | re | from | sent | betreff | betreft | objet | asunto | oggetto
    | onderwerp
    | assunto

letter 1: your letter | i would like | we are pleased | please contact | thank you for your
    | phone | letter

other title: packing list | packing slip | delivery note | lieferschein | report | annual report
    | news release | press release | application | employment application
    | application for employment | medical report | patient intake form | utility bill | pay stub
    | payslip | earnings statement | earnings | balance sheet | statement of cash flows
    | cash flow statement | income statement | table of contents | abstract | meeting minutes
    | questionnaire | survey | manual | certificate | bericht | rapport | quotation | quote
    | angebot | devis | presupuesto | bill of lading | form 10-q | 10-q | form 10-k | 10-k
    | claim form | discharge summary | prescription | brochure | menu | agenda
    | explanation of benefits | speisekarte | menukaart | carta del dia | verbale | compte rendu
    | informe | relazione | verslag | notulen | protokoll | niederschrift | fragebogen | antrag
    | anmeldeformular | formulaire d'inscription | modulo di iscrizione | inschrijfformulier
    | bon de livraison | albaran | documento di trasporto | pakbon | packliste | eintrittskarte
    | fahrkarte | boarding pass | bordkarte | biglietto di ingresso | biglietto d'ingresso
    | billet d'entree | carte d'embarquement | toegangsbewijs | admission ticket

other 6: electricity | meter readings | energy charges | utility | next scheduled read date

other 5: packing list | packing slip | abstract | table of contents | application for employment
    | employment application | news release | for immediate release | medical report | patient
    | utility bill | pay stub | pay period | net pay | gross pay | balance sheet | cash flows
    | quarterly report | securities exchange act | lieferschein | meter reading | electric | kwh
    | delivery note | questionnaire | statement of cash flows

other 3: introduction | conclusion | chapter | figure | references | appendix | report
    | subchapter | diagnosis | medications | symptoms | allergies | ytd | assets | liabilities
    | fiscal | emergency contact | desired position | applicant | header | footer | table 1 | fig
    | et al | rules | earnings | deductions | quotation | test document | resultats
    | bibliographie | mots-cles | keywords

other 1: page | section | data | results | analysis | research | table | list | study | plan
    | members | services | health
"""
