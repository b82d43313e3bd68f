"""Doubt: what the model says is looked for in the document, and doubts become reasons.

`verify` ties it together. `grounding` finds values again (`sought` in `passages`, by their
`spelling`, `values` and `currencies`), `rows` keeps line items together, `labelled` hears what the
document itself labels, `checks` calculates, `injection` and `class_signs` mistrust the text.
"""
