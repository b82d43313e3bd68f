"""One table of what is tried again: how often, how long, at what price, and what comes after.

Nothing in it is written by hand: it is read from the state machine, the template, the errors'
docstrings and the adapters' tables. `python -m mailroom_desk.retries --write` puts it into
`docs/operations.md`; `mailroom retries` prints it.
"""

from mailroom_desk.retries.ladders import LIMITS, Family, Ladder, all_ladders, state_ladders

__all__ = ["LIMITS", "Family", "Ladder", "all_ladders", "state_ladders"]
