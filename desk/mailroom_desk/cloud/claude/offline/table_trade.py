"""Data: labels of invoices, orders, receipts and bank statements. Format: see `labels`."""

TRADE_LABELS = """\
invoice_number (id): invoice number | invoice no | invoice num | invoice # | invoice id | inv no
    | inv # | credit note number | credit note no | bill number | bill no | tax invoice no
    | document number | rechnungsnummer | rechnungs-nr | rechnung nr | rechnungsnr | rechnung #
    | belegnummer | beleg-nr | gutschrift nr | numero de facture | facture numero | facture n'
    | n' facture | n' de facture | no de facture | facture no | num facture | numero de factura
    | numero factura | factura n' | factura no | factura num | n' factura | n' de factura
    | no de factura | num de factura | numero fattura | numero della fattura | fattura n'
    | fattura n | fattura nr | fattura numero | n fattura | nr fattura | n' fattura
    | factuurnummer | factuur nummer | factuurnr | factuur nr | factuur no | numero da fatura
    | fatura n' | fatura no | n' da fatura | n' fatura | numero da nota fiscal | nota fiscal n'
    | 請求書番号 | 請求番号 | 发票号码 | 发票号 | 發票號碼 | 발행번호 | رقم الفاتورة || invoice
    | factuur | facture | factura | fattura | fatura | rechnung | inv || # | no | number | numero
    | nummer | nr | reference no | numero documento | document no

invoice_date (date): invoice date | date of invoice | invoice dated | date of issue | issue date
    | issued on | date issued | billing date | bill date | tax date | credit note date
    | rechnungsdatum | belegdatum | ausstellungsdatum | date de facture | date de la facture
    | date facture | date d'emission | facture du | fecha de factura | fecha de la factura
    | fecha factura | fecha de emision | fecha de expedicion | data fattura | data della fattura
    | data di emissione | data emissione | factuurdatum | factuur datum | data da fatura
    | data de emissao | data fatura | 請求日 | 発行日 | 开票日期 | تاريخ الفاتورة | تاريخ الإصدار
    || date | datum | fecha | data | data documento | 日付 | 日期 | التاريخ | issued | dated
    || billing period | period ending

due_date (date): due date | payment due date | payment due | date due | due by | pay by
    | payment date | due on | falligkeitsdatum | fallig am | fallig bis | zahlbar bis | falligkeit
    | zahlungsziel | date d'echeance | echeance | date echeance | a payer avant le
    | date limite de paiement | date de paiement | fecha de vencimiento | vencimiento | vence
    | fecha limite de pago | fecha vto | fecha de vto | fecha vcto | vto
    | data di scadenza | scadenza | data scadenza | vervaldatum | vervaldag
    | uiterste betaaldatum | te betalen voor | betaaldatum | data de vencimento | vencimento
    | 支払期限 | お支払期限 | 到期日 | تاريخ الاستحقاق || due | payable by

po_number (id): po number | p.o. number | po no | p.o. no | p.o. # | po # | purchase order number
    | purchase order no | purchase order # | customer po | your order no | your po | po ref
    | bestellnummer | bestell-nr | auftragsnummer | bon de commande | n' bon de commande
    | numero de commande | n' de commande | numero de pedido | pedido n' | n' de pedido
    | orden de compra | numero ordine | ordine n' | ordine d'acquisto | inkoopordernummer
    | inkooporder | bestelnummer | uw referentie | numero do pedido | ordem de compra | 注文番号
    | 発注番号 | 采购订单号 || purchase order | p.o. | po || order number | order no | order #
    | order

po_date (date): po date | p.o. date | purchase order date | order date | date of order
    | bestelldatum | date de commande | date de la commande | fecha de pedido | fecha del pedido
    | fecha de orden | data ordine | orderdatum | besteldatum | data do pedido | 注文日 | 発注日
    || date | datum | fecha | data

subtotal (amount): subtotal | sub total | net total | total net | net amount | total excl vat
    | total ex vat | total excluding vat | total before tax | taxable amount | total value
    | net value | goods total | items subtotal | summe positionen | warenwert | nettowert
    | total exkl mwst | total ohne mwst | base imp | importe bruto | total net ht
    | zwischensumme | nettobetrag | netto | summe netto | gesamt netto | nettosumme | sous total
    | total ht | montant ht | total hors taxes | base imponible | importe neto | subtotale
    | imponibile | totale imponibile | subtotaal | sub totaal | totaal excl btw
    | totaal exclusief btw | netto totaal | grondslag | total sem iva | valor liquido
    | total iliquido | 小計 | 小計額 | 小计 | المجموع الفرعي

tax (amount): total tax | sales tax | tax amount | tax total | total vat | total gst | vat amount
    | tax | vat | gst | hst | mwst | mehrwertsteuer | ust | umsatzsteuer | mwst betrag | steuer
    | di cui iva | dont tva | davon mwst | enthaltene mwst | waarvan btw
    | cuota iva | totale imposta | imposte
    | total tva | montant tva | tva | taxe | taxes | iva | total iva | importe iva | impuesto
    | impuestos | imposta | totale iva | btw | btw bedrag | totaal btw | imposto | impostos
    | valor iva | 消費税 | 消費税等 | 内消費税 | 税 | 税额 | ضريبة

tip (amount): tip | gratuity | tip amount | service tip | trinkgeld | pourboire | propina | mancia
    | fooi | gorjeta | チップ

shipping (amount): shipping | freight | delivery | delivery charge | shipping and handling
    | shipping & handling | postage | carriage | versand | versandkosten | porto | fracht
    | frais de port | frais de livraison | port | transport | spese di spedizione | spedizione
    | trasporto | gastos de envio | envio | portes | flete | frete | verzendkosten | 送料 | 运费

discount (amount): discount | less discount | rabatt | skonto | nachlass | remise | rabais | sconto
    | descuento | desconto | korting | 値引き | 折扣

total (amount): grand total | invoice total | total charges | total incl vat | total including vat
    | total amount | total inc vat | gross total | order total | amount total | total inclusive
    | gutschriftsbetrag | rechnungssumme | bestellwert | auftragswert | total commande
    | totale ordine | total pedido | totaal bestelling
    | gesamtbetrag | rechnungsbetrag | endbetrag | gesamtsumme | bruttobetrag | gesamt brutto
    | summe brutto | total ttc | montant ttc | montant total | total general | total factura
    | importe total | total a pagar | totale fattura | totale complessivo | totale documento
    | totaal incl btw | totaal inclusief btw | totaalbedrag | factuur totaal | eindtotaal
    | valor total | total da fatura | total geral | 合計金額 | 合計 | 总计 | 合计 | 價稅合計
    | الإجمالي | المجموع الكلي || total | totale | totaal | gesamt | summe | paye | total paye
    | pagado | bezahlt | betaald | pagato | pago | total usd | total eur | total gbp | totals
    | المجموع || total due | amount due | balance due | total payable | amount payable
    | net payable | zahlbetrag | zu zahlen | net a payer | a payer | a pagar | totale dovuto
    | totale da pagare | netto a pagare | te betalen
    | te voldoen | totaal te voldoen | total a payer | ご請求金額 | 請求金額 | 应付 || amount paid
    | total paid | balance | payment | amount
    || fare | total credit | total fare

vendor_name (party): seller | vendor | vendor name | supplier | supplier name | sold by
    | issued by | billed by | bill from | verkaufer | lieferant | rechnungssteller | absender
    | vendu par | verkauft von | vendido por | venduto da | verkocht door
    | vendeur | fournisseur | emetteur | vendedor | proveedor | emisor | venditore | fornitore
    | cedente | verkoper | leverancier | afzender | fornecedor | emitente | 発行者 | 销售方 | 卖方
    | البائع || from | von | de | van | da
    || remit to | pay to | payable to | make checks payable to
    | make all checks payable to | company name | company

customer_name (party): customer name | client name | buyer name | bill to name | name of customer
    | nome do cliente | nom du client | nombre del cliente | nome cliente | klantnaam
    || bill to | billed to | invoice to | invoiced to | sold to
    | customer | client | buyer | billing address | kunde
    | rechnungsempfanger | rechnung an | rechnungsadresse | kaufer | facture a | facturer a
    | client | adresse du client | adresse de facturation | destinataire | acheteur | cliente
    | facturar a | facturado a | comprador | datos del cliente | destinatario | fatturare a
    | intestatario | spett le | spettabile | acquirente | factuuradres | klant | factuur aan | aan
    | koper | cobrar a | faturar a | faturado a | 請求先 | 购买方 | 买方
    | العميل || to | for | invoice for | attention | attn || name | nombre | nome | nom | naam

buyer_name (party): buyer | buyer name | ordered by | purchaser | besteller | auftraggeber
    | acheteur | comprador | acquirente | koper | 発注者 || bill to | invoice to

ship_to_company (party): ship to company | deliver to company || ship to | shipped to | deliver to
    | delivery address | lieferanschrift | lieferadresse | adresse de livraison
    | direccion de entrega | indirizzo di consegna | afleveradres | lieu de livraison
    | lugar de entrega | luogo di consegna | leveradres
    | company name

ship_to_name (person): ship to name | deliver to name | recipient name

ship_from_company (party): ship from company || ship from | shipped from | supplier | vendor
    | vendor name | supplier name | lieferant | fournisseur | proveedor | fornitore | leverancier
    | fornecedor

ship_from_name (person): ship from name | vendor contact | supplier contact

merchant_name (party): merchant | merchant name | store | shop | paid to | received by | sold by
    | seller | vendor

transaction_date (date): transaction date | date of purchase | purchase date | date of payment
    | payment date | receipt date | sale date | date paid || order date | date | datum | fecha
    | data | 日付 | 領収日

bank_name (party): bank name | name of bank | bank | institution | kreditinstitut | banque | banco
    | banca

account_holder (party): account holder | account name | account owner | name of account holder
    | customer name | kontoinhaber | titulaire | titulaire du compte | titular
    | titular de la cuenta | intestatario | rekeninghouder | tenaamstelling | titular da conta
    | member name | client name | prepared for | statement for | 口座名義

account_number (account): account number | account no | account # | acct no | acct # | iban
    | kontonummer | konto nr | numero de compte | compte n' | n' de compte | numero de cuenta
    | cuenta n' | numero conto | conto n' | rekeningnummer | numero da conta | conta n'
    | member number | policy number | 口座番号 || account | conto | rekening | compte
    | cuenta

savings_account_number (account): savings account number | savings account no | savings account
    || savings

savings_balance (amount): savings balance | savings account balance || regular savings | savings

statement_date (date): statement date | date of statement | statement ending
    | statement closing date | as of | auszugsdatum | kontoauszug vom | date du releve
    | fecha del extracto | data estratto conto | datum afschrift | data do extrato

period_start (date): statement period | period | for the period | from | period start
    | period from | start date | beginning date | date from | zeitraum | vom | periode du
    | periode | du | periodo | desde | dal | van | de

period_end (date): period end | period to | end date | ending date | date to | to | bis | au
    | hasta | al | tot | ate

opening_balance (amount): opening balance | beginning balance | previous balance
    | starting balance | balance brought forward | balance forward | start balance | anfangssaldo
    | alter saldo | alter kontostand | ancien solde | solde initial | solde precedent
    | saldo inicial | saldo anterior | saldo iniziale | saldo precedente | beginsaldo
    | saldovortrag | anfangsbestand | vorig saldo | opening account balance | opening value

closing_balance (amount): closing balance | ending balance | new balance | current balance
    | final balance | balance carried forward | end balance | endsaldo | neuer saldo
    | neuer kontostand | nouveau solde | solde final | saldo final | saldo finale
    | schlusssaldo | abschlusssaldo | endbestand | nuevo saldo | saldo contabile | eindsaldo
    | nieuw saldo | closing account balance | closing value
    || available balance | total balance | balance

total_deposits (amount): total deposits | deposits and other credits | deposits and additions
    | total credits | total money in | money in | total paid in | deposits | credits
    | summe gutschriften | total credit | total creditos | total abonos | totale entrate
    | totaal bij | totaal bijgeschreven | total des credits | total ingresos | total haber
    | summe der gutschriften | gutschriften gesamt | additions

total_withdrawals (amount): total withdrawals | withdrawals and other debits
    | withdrawals and debits | total debits | total money out | money out | total paid out
    | withdrawals | debits | summe belastungen | total debit | total debitos | total cargos
    | totale uscite | totaal af | totaal afgeschreven | withdrawals and fees | total des debits
    | total gastos | total debe | summe der belastungen | belastungen gesamt | subtractions
"""

# Labels that belong to no field.
OTHER_LABEL_TABLE = """\
payment terms | terms | terms of payment | terms and conditions | notes | note | ship to
| shipped to | customer id | customer no | customer number | order | order number | order no
| quantity | qty | description | item | items | unit price | unit | price | rate | amount
| vat number | vat no | tax id | address | phone | fax | email | e-mail | website | bank
| iban | bic | swift | salesperson | sales rep | ship via | shipping method | shipping terms
| shipping | delivery date | delivery | discount | page | kundennummer | kunden-nr
| steuernummer | ust-id | menge | bezeichnung | beschreibung | einzelpreis | lieferdatum
| zahlungsbedingungen | numero client | n' client | quantite | designation | prix unitaire
| conditions de paiement | cantidad | descripcion | precio | precio unitario
| condiciones de pago | quantita | descrizione | prezzo | aantal | omschrijving | artikel
| prijs | bedrag | quantidade | descricao | preco | requisitioner | f.o.b. point | ship date
| client no | client number | n' de client | no de client | numero de cliente | n' cliente
| cliente n' | codigo cliente | klantnummer | kd nr | kundennr | debitor nr | customer
reference | shipped
| deliver to | delivery address | shipping address | lieferadresse | lieferanschrift
| adresse de livraison | direccion de entrega | indirizzo di consegna | afleveradres | bezorgadres
| endereco de entrega | trade name | seller trade name | buyer trade name
| suff | spouse's social security number | your social security number | spouse's first name
| customer ref | your reference | your ref | customer reference | order ref | partita iva
| codice cliente | termini di pagamento | artikel-nr | produkt | product | product code
| shipped via | due on receipt | codigo | referencia | cant | importe | total linea
| sales associate | service address | job title | previous unpaid balance | discounts
| shipping | amount paid | service period | period | job | project | time | cashier | register
| website | contact | tel | mobile | method | ref | reference | sex | nationality
| place of birth | height | eyes | class | type | code | po box | p.o. box | pagina | seite | blatt
"""
