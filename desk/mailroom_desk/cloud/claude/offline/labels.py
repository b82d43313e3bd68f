"""Data: what fields are called on paper, in English, German, French, Spanish, Italian, Dutch,
Portuguese and a little Japanese, Chinese and Arabic.

One entry a field: its kind (which parser reads the value) and its labels in tiers, the most certain
first.
Labels are compared without case, accents and signs. A field that is not here takes its kind from
its schema and its label from its own name.
"""

from dataclasses import dataclass
from typing import Literal

type Kind = Literal["date", "amount", "id", "account", "party", "person", "text", "email", "phone"]


@dataclass(frozen=True)
class Field:
    """How a field is found: the kind of its value, and its labels with their tiers from 0."""

    kind: Kind
    labels: tuple[tuple[str, int], ...]


def _field(kind: Kind, labels: str) -> Field:
    """Labels are separated by bars, tiers by double bars."""
    tiers = enumerate(labels.split("||"))
    return Field(kind, tuple((label.strip(), n) for n, tier in tiers for label in tier.split("|")))


FIELDS: dict[str, Field] = {
    # invoices
    "invoice_number": _field("id", """invoice number | invoice no | invoice num | invoice # | invoice id | inv no | inv #
        | credit note number | credit note no | bill number | bill no | tax invoice no | document number | rechnungsnummer | rechnungs-nr
        | rechnung nr | rechnungsnr | rechnung # | belegnummer | beleg-nr | gutschrift nr | numero de facture | facture numero
        | facture n' | n' facture | n' de facture | no de facture | facture no | num facture | numero de factura | numero factura
        | factura n' | factura no | factura num | n' factura | n' de factura | no de factura | num de factura | numero fattura | numero della fattura
        | fattura n' | fattura n | fattura nr | fattura numero | n fattura | nr fattura | n' fattura | factuurnummer | factuur nummer | factuurnr
        | factuur nr | factuur no | numero da fatura | fatura n' | fatura no | n' da fatura | n' fatura | numero da nota fiscal | nota fiscal n'
        | 請求書番号 | 請求番号 | 发票号码 | 发票号 | 發票號碼 | 발행번호 | رقم الفاتورة || invoice | factuur | facture | factura | fattura | fatura | rechnung | inv || # | no | number | numero | nummer | nr | reference no | numero documento | document no"""),
    "invoice_date": _field("date", """invoice date | date of invoice | invoice dated | date of issue | issue date | issued on | date issued | billing date
        | bill date | tax date | credit note date | rechnungsdatum | belegdatum | ausstellungsdatum | date de facture | date de la facture
        | date facture | date d'emission | facture du | fecha de factura | fecha de la factura | fecha factura | fecha de emision | fecha de expedicion
        | data fattura | data della fattura | data di emissione | data emissione | factuurdatum | factuur datum | data da fatura | data de emissao | data fatura
        | 請求日 | 発行日 | 开票日期 | تاريخ الفاتورة | تاريخ الإصدار || date | datum | fecha | data | data documento | 日付 | 日期 | التاريخ | issued | dated || billing period | period ending"""),
    "due_date": _field("date", """due date | payment due date | payment due | date due | due by | pay by | payment date | due on | falligkeitsdatum | fallig am | fallig bis
        | zahlbar bis | falligkeit | zahlungsziel | date d'echeance | echeance | date echeance | a payer avant le | date limite de paiement | date de paiement
        | fecha de vencimiento | vencimiento | vence | fecha limite de pago | data di scadenza | scadenza | data scadenza | vervaldatum | vervaldag | uiterste betaaldatum
        | te betalen voor | betaaldatum | data de vencimento | vencimento | 支払期限 | お支払期限 | 到期日 | تاريخ الاستحقاق || due | payable by"""),
    "po_number": _field("id", """po number | p.o. number | po no | p.o. no | p.o. # | po # | purchase order number | purchase order no | purchase order # | customer po | your order no
        | your po | po ref | bestellnummer | bestell-nr | auftragsnummer | bon de commande | n' bon de commande | numero de commande | n' de commande
        | numero de pedido | pedido n' | n' de pedido | orden de compra | numero ordine | ordine n' | ordine d'acquisto | inkoopordernummer | inkooporder | bestelnummer
        | uw referentie | numero do pedido | ordem de compra | 注文番号 | 発注番号 | 采购订单号 || purchase order | p.o. | po || order number | order no | order # | order"""),
    "po_date": _field("date", """po date | p.o. date | purchase order date | order date | date of order | bestelldatum | date de commande | date de la commande | fecha de pedido
        | fecha del pedido | fecha de orden | data ordine | orderdatum | besteldatum | data do pedido | 注文日 | 発注日 || date | datum | fecha | data"""),
    "subtotal": _field("amount", """subtotal | sub total | net total | total net | net amount | total excl vat | total ex vat | total excluding vat | total before tax | taxable amount | total value
        | zwischensumme | nettobetrag | netto | summe netto | gesamt netto | nettosumme | sous total | total ht | montant ht | total hors taxes | base imponible | importe neto
        | subtotale | imponibile | totale imponibile | subtotaal | sub totaal | totaal excl btw | totaal exclusief btw | netto totaal | grondslag | total sem iva | valor liquido | total iliquido | 小計 | 小計額 | 小计 | المجموع الفرعي"""),
    "tax": _field("amount", """total tax | sales tax | tax amount | tax total | total vat | total gst | vat amount | tax | vat | gst | hst | mwst | mehrwertsteuer | ust | umsatzsteuer | mwst betrag | steuer
        | total tva | montant tva | tva | taxe | taxes | iva | total iva | importe iva | impuesto | impuestos | imposta | totale iva | btw | btw bedrag | totaal btw | imposto | impostos | valor iva
        | 消費税 | 消費税等 | 内消費税 | 税 | 税额 | ضريبة"""),
    "tip": _field("amount", "tip | gratuity | tip amount | service tip | trinkgeld | pourboire | propina | mancia | fooi | gorjeta | チップ"),
    "total": _field("amount", """grand total | invoice total | total charges | total incl vat | total including vat | total amount | total inc vat | gross total | order total | amount total | total inclusive
        | gesamtbetrag | rechnungsbetrag | endbetrag | gesamtsumme | bruttobetrag | gesamt brutto | summe brutto | total ttc | montant ttc | montant total | total general | total factura | importe total
        | total a pagar | totale fattura | totale complessivo | totale documento | totaal incl btw | totaal inclusief btw | totaalbedrag | factuur totaal | eindtotaal | valor total | total da fatura
        | total geral | 合計金額 | 合計 | 总计 | 合计 | 價稅合計 | الإجمالي | المجموع الكلي || total | totale | totaal | gesamt | summe | paye | total paye | pagado | bezahlt | betaald | pagato | pago | total usd | total eur | total gbp | totals | المجموع
        || total due | amount due | balance due | total payable | amount payable | net payable | zahlbetrag | zu zahlen | net a payer | a payer | a pagar | totale dovuto | totale da pagare | te betalen
        | total a payer | ご請求金額 | 請求金額 | 应付 || amount paid | total paid | balance | payment | amount"""),
    "vendor_name": _field("party", """seller | vendor | vendor name | supplier | supplier name | sold by | issued by | billed by | bill from |  verkaufer | lieferant | rechnungssteller | absender | vendeur | fournisseur | emetteur | vendedor | proveedor | emisor | venditore | fornitore | cedente
        | verkoper | leverancier | afzender | fornecedor | emitente | 発行者 | 销售方 | 卖方 | البائع || from | von | de || remit to | pay to | payable to | make checks payable to | make all checks payable to | company name | company"""),
    "customer_name": _field("party", """bill to | billed to | bill to name | invoice to | invoiced to | sold to | customer | customer name | client | client name | buyer | billing address | kunde | rechnungsempfanger | rechnung an
        | rechnungsadresse | kaufer | facture a | facturer a | client | adresse du client | adresse de facturation | destinataire | acheteur | cliente | facturar a | facturado a | comprador | datos del cliente | destinatario
        | fatturare a | intestatario | spett le | spettabile | acquirente | factuuradres | klant | factuur aan | aan | koper | cobrar a | faturar a | faturado a | nome do cliente | 請求先 | 购买方 | 买方 | العميل || to | for | invoice for | attention | attn || name | nombre | nome | nom | naam"""),
    # purchase orders
    "buyer_name": _field("party", "buyer | buyer name | ordered by | purchaser | besteller | auftraggeber | acheteur | comprador | acquirente | koper | 発注者 || bill to | invoice to"),
    "ship_to_company": _field("party", "ship to company | deliver to company || ship to | shipped to | deliver to | company name"),
    "ship_to_name": _field("person", "ship to name || ship to | shipped to | deliver to | delivery address | shipping address | lieferadresse | adresse de livraison | direccion de entrega | indirizzo di consegna | afleveradres | endereco de entrega"),
    "ship_from_company": _field("party", "ship from company || ship from | shipped from | supplier | vendor | vendor name | supplier name | lieferant | fournisseur | proveedor | fornitore | leverancier | fornecedor"),
    "ship_from_name": _field("person", "ship from name || ship from | shipped from"),
    # receipts
    "merchant_name": _field("party", "merchant | merchant name | store | shop | paid to | received by | sold by | seller | vendor"),
    "transaction_date": _field("date", "transaction date | date of purchase | purchase date | date of payment | payment date | receipt date | sale date | date paid || order date | date | datum | fecha | data | 日付 | 領収日"),
    # bank statements
    "bank_name": _field("party", "bank name | name of bank | bank | institution | kreditinstitut | banque | banco | banca"),
    "account_holder": _field("party", "account holder | account name | account owner | name of account holder | customer name | kontoinhaber | titulaire | titulaire du compte | titular | titular de la cuenta | intestatario | rekeninghouder | tenaamstelling | titular da conta | member name | client name | prepared for | statement for | 口座名義"),
    "account_number": _field("account", "account number | account no | account # | acct no | acct # | iban | kontonummer | konto nr | numero de compte | compte n' | n' de compte | numero de cuenta | cuenta n' | numero conto | conto n' | rekeningnummer | numero da conta | conta n' | member number | policy number | 口座番号 || account | conto | rekening | compte"),
    "savings_account_number": _field("account", "savings account number | savings account no | savings account || savings"),
    "savings_balance": _field("amount", "savings balance | savings account balance || regular savings | savings"),
    "statement_date": _field("date", "statement date | date of statement | statement ending | statement closing date | as of | auszugsdatum | kontoauszug vom | date du releve | fecha del extracto | data estratto conto | datum afschrift | data do extrato || issue date | date"),
    "period_start": _field("date", "statement period | period | for the period | from | period start | period from | start date | beginning date | date from | zeitraum | vom | periode du | periode | du | periodo | desde | dal | van | de"),
    "period_end": _field("date", "period end | period to | end date | ending date | date to | to | bis | au | hasta | al | tot | ate"),
    "opening_balance": _field("amount", "opening balance | beginning balance | previous balance | starting balance | balance brought forward | balance forward | start balance | anfangssaldo | alter saldo | alter kontostand | ancien solde | solde initial | solde precedent | saldo inicial | saldo anterior | saldo iniziale | saldo precedente | beginsaldo | vorig saldo | opening account balance | opening value"),
    "closing_balance": _field("amount", "closing balance | ending balance | new balance | current balance | final balance | balance carried forward | end balance | endsaldo | neuer saldo | neuer kontostand | nouveau solde | solde final | saldo final | saldo finale | saldo contabile | eindsaldo | nieuw saldo | closing account balance | closing value || available balance | total balance | balance"),
    "total_deposits": _field("amount", "total deposits | deposits and other credits | deposits and additions | total credits | total money in | money in | total paid in | deposits | credits | summe gutschriften | total credit | total creditos | total abonos | totale entrate | totaal bij | additions"),
    "total_withdrawals": _field("amount", "total withdrawals | withdrawals and other debits | withdrawals and debits | total debits | total money out | money out | total paid out | withdrawals | debits | summe belastungen | total debit | total debitos | total cargos | totale uscite | totaal af | subtractions"),
    # contracts
    "agreement_number": _field("id", "agreement number | agreement no | contract number | contract no | contract # | master agreement | vertragsnummer | vertrag nr | numero de contrat | contrat n' | n' contrat | numero de contrato | contrato n' | numero contratto | contractnummer"),
    "effective_date": _field("date", "effective date | effective as of | effective from | effective | with effect from | commencement date | start of cover | cover starts | dated as of | dated | date of agreement | datum des inkrafttretens | vertragsbeginn | date d'effet | prise d'effet | fecha de entrada en vigor | data di decorrenza | ingangsdatum | data de inicio"),
    "begin_date": _field("date", "begin date | effective begin date | start date | term start | beginning date | commencement date | vertragsbeginn | date de debut | fecha de inicio | data di inizio | begindatum"),
    "expiration_date": _field("date", "expiration date | expiry date | end date | termination date | effective end date | term end | expires on | expires | valid until | vertragsende | date de fin | date d'expiration | fecha de vencimiento | fecha de termino | data di scadenza | einddatum | data de termino"),
    "governing_law": _field("text", "governing law | applicable law | anwendbares recht | droit applicable | ley aplicable | legge applicabile | toepasselijk recht | lei aplicavel"),
    "policy_number": _field("id", "policy number | policy no | policy # | versicherungsnummer | versicherungsschein nr | numero de police | police n' | numero de poliza | poliza n' | numero polizza | polisnummer | apolice n'"),
    "principal": _field("amount", "principal amount | principal sum | principal | loan amount | darlehensbetrag | montant du pret | importe del prestamo"),
    "party_1": _field("party", "party 1 | first party | party a | landlord | lessor | seller | licensor | lender | employer | client | disclosing party | provider | vermieter | verkaufer | bailleur | vendeur | arrendador | locatore | verhuurder"),
    "party_2": _field("party", "party 2 | second party | party b | tenant | lessee | buyer | licensee | borrower | employee | contractor | receiving party | customer | mieter | kaufer | locataire | acheteur | arrendatario | conduttore | huurder | insured | policyholder"),
    # resumes and people
    "name": _field("person", "name | full name | name surname | nom | nombre | nome | naam | 氏名 | 姓名"),
    "email": _field("email", "email | e mail | e-mail address | courriel | correo"),
    "phone": _field("phone", "phone | telephone | mobile | tel | cell | telefon | telefono | telefoon | telefone"),
    "location": _field("text", "location | address | city | wohnort | adresse | ubicacion | indirizzo | woonplaats"),
    # tax forms
    "tax_year": _field("text", "tax year | for calendar year | calendar year"),
    "payer_name": _field("party", "payer's name street address city or town state or province country zip or foreign postal code and telephone no | payer's name | payer name | payer | recipient's/lender's name | lender's name | filer's name | recipient lender's name"),
    "payer_tin": _field("account", "payer's tin | payer tin | payer's federal identification number | recipient's federal identification no | lender's federal identification number | recipient's/lender's tin | filer's tin"),
    "recipient_name": _field("person", "recipient's name | recipient name | recipient | borrower's name | student's name | payer's/borrower's name | payee"),
    "recipient_tin": _field("account", "recipient's tin | recipient tin | recipient's identification number | borrower's tin | borrower's social security number | borrower's taxpayer identification no | student's tin"),
    "employer_name": _field("party", "employer's name address and zip code | c employer's name address and zip code | employer's name | employer name | name of employer | employer"),
    "employer_ein": _field("account", "employer identification number ein | b employer identification number (ein) | employer identification number | employer's ein | ein | employer id number"),
    "employee_name": _field("person", "employee's first name and initial | e employee's first name and initial last name | employee's name | employee name | name of employee | employee"),
    "employee_ssn": _field("account", "employee's social security number | a employee's social security number | social security number | ssn"),
    "taxpayer_name": _field("person", "your first name and middle initial | taxpayer name | name of taxpayer | name(s) shown on return"),
    "wages": _field("amount", "wages tips other compensation | 1 wages tips other compensation | wages tips other comp | total amount from form(s) w-2 box 1 | wages salaries tips etc attach form(s) w-2 | wages salaries tips | wages"),
    "federal_tax_withheld": _field("amount", "federal income tax withheld | 2 federal income tax withheld | 4 federal income tax withheld | federal tax withheld"),
    # identity documents
    "surname": _field("person", "surname | last name | family name | surname/nom | nom | name/surname | nachname | familienname | apellidos | apellido | primer apellido | cognome | achternaam | apelido | sobrenome | ln || name || 1"),
    "given_name": _field("person", "given names | given name | first name | forenames | given names/prenoms | prenoms | prenom | prenom(s) | vorname | vornamen | nombres | nombre | nome | voornamen | voornaam | nomes proprios | fn || 2"),
    "document_number": _field("id", "passport no | passport no/n' de passeport | passport number | document number | document no | card number | card no | licence number | license number | license no | licence no | dl no | dln | dl | lic no | customer identifier | id number | id no | identity card no | uscis # | uscis | n' de passeport | carte nationale d'identite n' | ausweisnummer | reisepass nr | pass nr | personalausweis nr | numero de documento | num documento | dni | nie | aadhaar no | your aadhaar no | numero documento | carta d'identita n' | documentnummer | 4d || 5 | no | #"),
    "date_of_birth": _field("date", "date of birth | birth date | date of birth/date de naissance | dob | born | geburtsdatum | geburtstag | date de naissance | ne(e) le | ne le | nee le | fecha de nacimiento | data di nascita | nato il | geboortedatum | data de nascimento | 生年月日 | 出生日期 || 3"),
    "issue_date": _field("date", "date of issue | date of issue/date de delivrance | issue date | issued on | issued | iss | date issued | ausstellungsdatum | ausgestellt am | date de delivrance | delivre(e) le | fecha de expedicion | fecha de emision | data di rilascio | datum van afgifte | data de emissao | resident since | 4a"),
    "expiry_date": _field("date", "date of expiry | date of expiry/date d'expiration | date of expiration | expiration date | expiry date | expires on | card expires | expires | expiry | exp | valid until | valid thru | gultig bis | date d'expiration | valable jusqu'au | fecha de caducidad | fecha de vencimiento | valido hasta | data di scadenza | scadenza | geldig tot | data de validade | validade | 4b"),
    "issuer": _field("text", "issuing authority | authority | issued by | issuing country | behorde | autorite | autoridad"),
    # letters and papers
    "date": _field("date", "date | dated | datum | le | fecha | data | 日付 | sent"),
    "sender": _field("person", "from | von | de | da | van | sender | absender"),
    "recipient": _field("person", "to | an | a | aan | para | attention | attn | recipient"),
    "subject": _field("text", "subject | re | betreff | objet | asunto | oggetto | onderwerp | assunto | 件名"),
    "reference": _field("id", "our ref | reference | ref | your ref | unser zeichen | aktenzeichen | nos references | ref n' | n/ref | nuestra referencia | referencia | riferimento | ns rif | ons kenmerk | kenmerk | referentie"),
}

# Small words that may stand before a label: "your previous balance".
FILLERS = frozenset("your the our uw ihr ihre votre su il la el le de".split())
# Labels that are also everyday words: they count only before a colon or alone on their line.
NEEDS_COLON = frozenset(
    "to for from de da du le a an au al van von vom bis tot para desde dal hasta ate re no n name nom nombre nome "
    "naam date data balance payment amount order reference due bank account contact note notes class type code "
    "time job rate price unit item items method page tel exp iss born ref savings period company number numero "
    "recipient credits debits deposits withdrawals surname city location address employee employer payer".split()
)
# Labels that belong to no field: they end a value and keep their place in a row of labels.
OTHER_LABELS: tuple[str, ...] = tuple(
    label.strip()
    for label in """payment terms | terms | terms of payment | terms and conditions | notes | note | ship to | shipped to | customer id | customer no | customer number
    | order | order number | order no | quantity | qty | description | item | items | unit price | unit | price | rate | amount | vat number | vat no | tax id | address | phone | fax | email | e-mail
    | website | bank | iban | bic | swift | salesperson | sales rep | ship via | shipping method | shipping terms | shipping | delivery date | delivery | discount | page | kundennummer | kunden-nr | steuernummer
    | ust-id | menge | bezeichnung | beschreibung | einzelpreis | lieferdatum | zahlungsbedingungen | numero client | n' client | quantite | designation | prix unitaire | conditions de paiement | cantidad
    | descripcion | precio | precio unitario | condiciones de pago | quantita | descrizione | prezzo | aantal | omschrijving | artikel | prijs | bedrag | quantidade | descricao | preco | requisitioner | f.o.b. point | ship date | customer ref | your reference | your ref | customer reference | order ref | partita iva | codice cliente | termini di pagamento | artikel-nr | produkt | product | product code | shipped via | due on receipt | codigo | referencia | cant | importe | total linea | sales associate | service address | job title | previous unpaid balance | discounts | shipping | amount paid
    | service period | period | job | project | time | cashier | register | website | contact | tel | mobile | method | ref | reference | sex | nationality | place of birth | height | eyes | class | type | code""".split("|")
)
