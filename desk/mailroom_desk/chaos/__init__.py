"""Chaos: documents go through a local cloud that is being sabotaged, and invariants are checked.

`run` brings the cloud up and ends it; `papers` are the documents, `plan` the faults of the
services, `trouble` everything else that goes wrong; `invariants` judges what is left, `strikes`
says which fault met which document, and `report` tells it all.
"""
