"""The offline stand-in's reader: no model, only tables of words and a few parsers.

prompt        the user message → pages of lines, forms and tables
words         text made comparable: case, accents, lost spaces
amounts       printed amounts → plain decimals
dates         printed dates → ISO
locale        language, order of day and month, currency of one document
labels        what fields are called (data: table_trade, table_papers)
label_finder  the known labels of a line
evidence      every text that stands at a label
values        parsers by kind: identifiers, names, amounts, dates
sheet         one document with its evidence and its locale
mrz           machine-readable zones of identity papers, by their check digits
letterhead    whom a paper comes from, and the addresses on it
registrations IBAN and VAT number of the seller
table_headers what the columns of items are called
totals, items, parties, people, papers, statements, agreements: fields that need more than a label
keywords      what classes look like (data: table_classes)
classes       scores of the offered tools
reader        chooses a tool and fills its schema
summary       extractive summary for prompts without tools
"""
