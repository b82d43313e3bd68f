"""From Textract's result files to pages: what `extract` is made of.

`textract_json` decodes, `assembly` closes page after page, `page_reader` reads one (`upright` and
`reading_order` put its lines in order, `tables` its cells), `markdown` renders it for people.
"""
