"""Ids of blocks: derived from the job, the page and the block's number on it.

A repeated reading gives the same ids.
"""

import uuid


def block_id(job_id: str, page: int, number: int) -> str:
    """Return the id of a block, counted on its page from 0; pages are counted from 1."""
    return str(uuid.uuid5(uuid.uuid5(uuid.NAMESPACE_OID, f"{job_id}/{page}"), str(number)))
