"""`mailroom classes`: what documents can be, and how that is changed without a deploy."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mailroom_desk.cli.options import Profile, Region, StackName, open_stack

if TYPE_CHECKING:
    from mailroom.classes import Classes, DocumentClass
    from mailroom_desk.classes import InForce

File = Annotated[
    Path,
    typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="A classes file, as JSON."),
]


def show_classes(
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a class on stdout, nothing else there.")
    ] = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Show the classes that are in force: fields, what is needed, what is checked.

    A classes file that was pushed takes the place of the packaged one. Each document's row names
    the version that it was read with.

    Example: [bold]mailroom classes show[/]
    """
    from mailroom_desk.classes import in_force
    from mailroom_desk.cli import screen

    found = in_force(open_stack(stack, profile, region))
    if as_json:
        for each in found.classes.by_name.values():
            screen.emit(_as_object(each, found))
        return
    _draw(found)


def check_classes(file: File) -> None:
    """Check a classes file: every rule of it, one sentence for each that is broken.

    Needs no stack. The exit code is 0 where the file keeps all rules, and 1 where it does not.

    Example: [bold]mailroom classes check classes.json[/]
    """
    from mailroom.classes import parse

    content = _checked(file)
    typer.echo(f"The file keeps all rules: {_told(parse(content))}.")


def push_classes(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", exists=True, dir_okay=False, help="A classes file, as JSON."
        ),
    ] = None,
    reset: Annotated[
        bool, typer.Option("--reset", help="Go back to the packaged classes instead.")
    ] = False,
    stack: StackName = None,
    profile: Profile = None,
    region: Region = None,
) -> None:
    """Put a classes file in force for the documents that are read from now on.

    It is checked first. Documents that were read before keep what they have; a new attempt reads
    them with the new classes. No deploy is needed, and [bold]--reset[/] takes it back.

    Example: [bold]mailroom classes push classes.json[/]
    """
    from mailroom.classes import packaged_classes, parse
    from mailroom_desk.classes import push
    from mailroom_desk.classes import reset as go_back

    if reset == (file is not None):
        raise typer.BadParameter("Give either a FILE or --reset.")
    if file is None:
        go_back(open_stack(stack, profile, region))
        typer.echo(f"The packaged classes are in force: {_told(packaged_classes())}.")
        return
    content = _checked(file)
    push(open_stack(stack, profile, region), content)
    typer.echo(f"In force from the next document on: {_told(parse(content))}.")


def _checked(file: Path) -> bytes:
    """The file's content. Exits with 1 where it breaks a rule."""
    from mailroom.classes_file import problems

    content = file.read_bytes()
    broken = problems(content)
    if broken:
        for problem in broken:
            typer.echo(problem)
        typer.echo(f"mailroom: {file} breaks {len(broken)} rules.", err=True)
        raise typer.Exit(1)
    return content


def _told(classes: "Classes") -> str:
    return f"version {classes.version}, {len(classes.by_name)} classes"


def _as_object(each: "DocumentClass", found: "InForce") -> dict[str, Any]:
    return {
        "version": found.classes.version,
        "origin": found.origin,
        "name": each.name,
        "description": each.description,
        "fields": each.schema["properties"],
        "needed": list(each.needed),
        "checks": [dict(check) for check in each.checks],
        "merge": dict(each.merge),
    }


def _draw(found: "InForce") -> None:
    from mailroom_desk.cli import screen, views

    drawn = views.table("Class and fields", "Needed", "Checks", right=("Checks",))
    for each in found.classes.by_name.values():
        cell = screen.plain(each.name, "bold").append("\n")
        fields = ", ".join(each.schema["properties"])
        drawn.add_row(
            cell.append_text(screen.plain(fields, "dim")),
            screen.plain(", ".join(each.needed)),
            str(len(each.checks)),
        )
    console = screen.out()
    console.print(drawn)
    console.print(screen.plain(f"{found.origin.capitalize()}, {_told(found.classes)}."))
