"""`python -m mailroom_desk.retries`: print the tables as Markdown; `--write`: into the page."""

import argparse

from mailroom_desk.retries.definitions import read_stack
from mailroom_desk.retries.page import PAGE, markdown, write


def main() -> None:
    """Print or write."""
    parser = argparse.ArgumentParser(prog="python -m mailroom_desk.retries")
    parser.add_argument("--write", action="store_true", help=f"write into {PAGE.name}")
    stack = read_stack()
    if not parser.parse_args().write:
        print(markdown(stack))
        return
    print(f"{PAGE}: {'changed' if write(stack) else 'as it was'}")


if __name__ == "__main__":
    main()
