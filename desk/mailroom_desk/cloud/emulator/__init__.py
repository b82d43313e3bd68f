"""The AWS emulator: ministack, with what Mailroom's own road needs and ministack lacks.

`python -m mailroom_desk.cloud.emulator` runs it. Every module here closes one group of gaps and
names them in its docstring; `ministack_internals.py` holds the only names of ministack's that are
touched, and refuses to start when one has gone.
"""
