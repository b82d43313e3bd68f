"""What `mailroom up --claude` takes, refuses and finds out before anything is started."""

import dataclasses
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from claude_apis import Api, api
from rich.console import Console
from stack import template
from typer.testing import CliRunner

from mailroom_desk.cli import app
from mailroom_desk.cli.document_view import draw
from mailroom_desk.cloud.claude.backends import make_backend
from mailroom_desk.cloud.claude.choice import BACKENDS, ClaudeChoice, ClaudeUnusable, choose
from mailroom_desk.cloud.faults import CLAUDE, TEXTRACT
from mailroom_desk.cloud.folder import Folder
from mailroom_desk.cloud.ledger import Ledger
from mailroom_desk.cloud.processes import ProcessId
from mailroom_desk.cloud.servers import check_claude, servers
from mailroom_desk.cloud.settings import Ports, Settings
from mailroom_desk.cloud.state import Cloud, find_cloud
from mailroom_desk.cloud.supervisor import order

KEY = "sk-secret-0042"


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def service() -> Iterator[Api]:
    with api() as served:
        yield served


@pytest.mark.parametrize(
    ("choice", "name"),
    [
        (choose("offline"), "offline stand-in"),
        (choose("anthropic"), "anthropic claude-haiku-4-5"),
        (choose("anthropic", url="https://g.example/a"), "anthropic claude-haiku-4-5 at g.example"),
        (choose("bedrock", model="eu.anthropic.claude-x"), "bedrock eu.anthropic.claude-x"),
        (choose("openai", model="llama3.1"), "openai llama3.1 at 127.0.0.1:11434"),
    ],
)  # fmt: skip
def test_name_says_who_answers(choice: ClaudeChoice, name: str) -> None:
    assert choice.name == name


def test_bedrock_answers_with_the_model_of_the_template() -> None:
    assert choose("bedrock").model == template()["Parameters"]["ModelId"]["Default"]


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/", "http://127.0.0.1:9/"]
)
def test_address_is_taken_with_and_without_its_version(url: str) -> None:
    assert choose("openai", model="m", url=url).url == "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("backend", "options", "told"),
    [
        ("gpt", {}, "one of offline, anthropic, bedrock, openai"),
        ("offline", {"model": "x"}, "--claude offline takes no --claude-model"),
        ("anthropic", {"profile": "x"}, "takes no --claude-profile"),
        ("bedrock", {"url": "http://x"}, "takes no --claude-url"),
        ("openai", {}, "needs --claude-model NAME"),
        ("openai", {"model": "m", "url": "localhost:11434"}, "--claude-url is like"),
        ("openai", {"model": "m", "url": "http://[::1"}, "--claude-url is like"),
        ("anthropic", {"url": f"https://me:{KEY}@api.example"}, "holds no key"),
        ("anthropic", {"model": "haiku\n"}, "no model's name has"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    backend: str, options: dict[str, str], told: str
) -> None:
    with pytest.raises(ClaudeUnusable, match=told) as caught:
        choose(backend, **options)
    assert KEY not in str(caught.value)


def test_missing_key_is_told_with_the_variable() -> None:
    with pytest.raises(ClaudeUnusable, match="ANTHROPIC_API_KEY"):
        make_backend(choose("anthropic"), {})


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_backend_is_made_and_named_as_chosen(backend: str) -> None:
    choice = choose(backend, model=None if backend == "offline" else "m")
    assert make_backend(choice, {"ANTHROPIC_API_KEY": KEY}).name == choice.name


def test_choice_reaches_the_server_by_way_of_the_supervisor(tmp_path: Path) -> None:
    choice = choose("bedrock", profile="paper", region="eu-west-3")
    sent = json.loads(order(Folder(tmp_path), Ports(1, 2, 3), Settings(claude=choice)))
    settings = Settings.of(sent["settings"])
    assert settings.claude == choice

    [claude] = [
        s for s in servers(Folder(tmp_path), Ports(1, 2, 3), settings) if s.name == "claude"
    ]
    options = dict(zip(claude.command[3::2], claude.command[4::2], strict=True))
    assert options["--backend"] == "bedrock"
    assert options["--profile"] == "paper"
    assert options["--region"] == "eu-west-3"


def test_key_is_given_to_the_claude_server_alone_and_written_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("ANTHROPIC_LOG", "debug")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:4566")
    settings = Settings(claude=choose("anthropic"))

    started = {s.name: s for s in servers(Folder(tmp_path), Ports(1, 2, 3), settings)}
    holders = [name for name, server in started.items() if KEY in server.environment.values()]
    assert holders == ["claude"]
    assert not {"ANTHROPIC_LOG", "AWS_ENDPOINT_URL"} & set(started["claude"].environment)
    assert not any(KEY in part for server in started.values() for part in server.command)
    assert KEY not in json.dumps(dataclasses.asdict(settings.claude or ClaudeChoice()))


def test_check_passes_where_the_model_is_there(service: Api) -> None:
    service.will({"data": [{"id": "llama3.1:latest"}]})
    check_claude(choose("openai", model="llama3.1", url=service.url))


def test_check_of_a_refused_key_is_one_sentence_without_it(
    service: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    service.will({"type": "error", "error": {"type": "authentication_error", "message": KEY}}, 401)
    with pytest.raises(ClaudeUnusable, match="does not accept the key") as caught:
        check_claude(choose("anthropic", url=service.url))
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_up_with_a_claude_that_cannot_be_asked_starts_nothing(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["up", "--claude", "anthropic"])
    assert result.exit_code == 2
    assert "ANTHROPIC_API_KEY" in result.stderr
    assert not Folder(tmp_path / ".mailroom").processes_file.exists()


def test_other_claude_than_the_running_clouds_is_refused(service: Api, tmp_path: Path) -> None:
    service.will("up")
    home = Folder((tmp_path / ".mailroom").resolve())
    home.create()
    ports, own = Ports(int(service.url.rpartition(":")[2]), 2, 3), ProcessId.of(os.getpid())
    Cloud(home.path, ports, own, "mailroom", {}, choose("anthropic")).save()
    running = find_cloud(home.path)
    assert running is not None
    assert running.claude == choose("anthropic")

    for other in ("offline", "bedrock"):
        result = CliRunner().invoke(app, ["up", "--claude", other])
        assert result.exit_code == 2
        assert "anthropic claude-haiku-4-5 answers" in result.stderr
        assert "mailroom down" in result.stderr


def test_up_with_an_option_but_no_claude_is_refused() -> None:
    result = CliRunner().invoke(app, ["up", "--claude-model", "m"])
    assert (result.exit_code, "--claude bedrock" in result.stderr) == (2, True)


def test_server_without_a_key_ends_with_the_reason(tmp_path: Path) -> None:
    module = [sys.executable, "-m", "mailroom_desk.cloud.claude", "--backend", "anthropic"]
    options = ["--port", "1", "--ledger", str(tmp_path / "ledger.db")]
    ended = subprocess.run([*module, *options], capture_output=True, text=True)
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1


def test_ledger_tells_real_answers_from_those_of_the_stand_ins(tmp_path: Path) -> None:
    book = Ledger(Folder((tmp_path / ".mailroom").resolve()).ledger)
    for service, detail, cost in (
        (TEXTRACT, "", "0.065"),
        (CLAUDE, "offline stand-in", "0.005"),
        (CLAUDE, "anthropic claude-haiku-4-5", "0.0021"),
    ):
        book.record(
            service, "X", document_id="d1", outcome="ok", cost_usd=Decimal(cost), detail=detail
        )

    told = " ".join(CliRunner().invoke(app, ["ledger"]).stdout.split())
    assert "1 of these calls were answered by anthropic claude-haiku-4-5, for $0.0021" in told
    assert "would have charged $0.0700" in told
    assert "nothing was charged" not in told


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("offline stand-in", "Nothing was charged"),
        ("anthropic claude-haiku-4-5", "the charge of anthropic claude-haiku-4-5 is its own"),
    ],
)
def test_price_of_a_document_says_who_may_have_charged(name: str, told: str) -> None:
    console = Console(record=True, width=200, file=io.StringIO())
    row = {
        "document_id": "d1",
        "key": "incoming/a.pdf",
        "status": "STORED",
        "answered_by": name,
        "price_usd": Decimal("0.0664"),
        "timeline": [],
    }
    draw(console, row, is_local=True)
    assert told in console.export_text()
