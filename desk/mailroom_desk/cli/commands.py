"""How commands behave: errors become sentences, and help reads well."""

import inspect
import os
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from mailroom_desk.cli.failures import DEBUG, sentence
from mailroom_desk.errors import DeskError

if TYPE_CHECKING:
    _Base = TyperCommand
else:
    _Base = object


class _ReadableHelp(_Base):
    """A flag takes no value, so its help shows no type."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params


class Command(_ReadableHelp, TyperCommand):
    """One command."""


class Commands(_ReadableHelp, TyperGroup):
    """All commands. Whatever goes wrong in one is said in a sentence."""

    def list_commands(self, ctx: Any) -> list[str]:
        """In the order of their declaration, groups last: typer would put them first."""
        return sorted(self.commands, key=lambda name: isinstance(self.commands[name], TyperGroup))

    def invoke(self, ctx: Any) -> Any:
        """Run a command. Exit codes: 2 for what cannot be done as asked, 1 for what failed."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            if _is_typers_own(error) or os.environ.get(DEBUG):
                raise
            typer.echo(f"mailroom: {sentence(error)}", err=True)
            raise typer.Exit(2 if isinstance(error, DeskError) else 1) from error


def _is_typers_own(error: Exception) -> bool:
    """Exits, wrong usage, and a pipe that was closed: typer knows what to do with them."""
    # typer brings its own copy of click, whose usage errors have no public name.
    is_usage = hasattr(error, "format_message")
    return is_usage or isinstance(error, (typer.Exit, typer.Abort, BrokenPipeError))


def paragraphs(docstring: str | None) -> str:
    """A docstring as help: the terminal breaks its lines, not the source."""
    text = inspect.cleandoc(docstring or "")
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))
