"""Measure a stack: run documents whose class and fields are known, and compare.

`manifest` reads what is expected, `run` sends the documents and follows them, `matching` compares
one document, `results` is what a run leaves (and is saved as JSON), `figures` counts it, `shares`
has the statistics, `changes` compares two runs, and `page` is the report.
"""
