"""The offline stand-in's reader: no model, only tables of words and a few parsers.

prompt      the user message → pages of lines, forms and tables
words       text made comparable (case, accents, lost spaces)
locale      language, order of day and month, currency of one document
amounts, dates, values   parsers: printed text → plain decimal, ISO date, identifier, name
labels      data: what fields are called, in nine languages
evidence    every value that stands at a label
keywords    data: what classes look like;  classes   scoring of the offered tools
parties, totals, items, people, papers   fields that need more than a label
reader      chooses a tool, fills its schema
summary     extractive summary for prompts without tools
"""
