"""Chaos: documents go through a local cloud that is being sabotaged, and invariants are checked.

`run` brings the cloud up and ends it; `papers` are the documents, `plan` the faults of the
services, `trouble` everything else that goes wrong; `invariants` judges what is left, `strikes`
says which fault met which document, `figures` and `page` tell it all.

Documents, repeats and victims follow from the seed. The plan's faults follow from the seed and the
document ids, which hold the version ids that S3 draws: two runs of one seed meet the same faults
at the same rates, in other documents.
"""
