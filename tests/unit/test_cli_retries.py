"""`mailroom retries`."""

import json

from typer.testing import CliRunner

from mailroom_desk.cli import app


def test_retries_lists_each_state_with_what_comes_after() -> None:
    result = CliRunner().invoke(app, ["retries"], env={"COLUMNS": "100"})
    assert result.exit_code == 0, result.output
    assert "Extract → dead letter" in result.output
    assert "ModelThrottled" in result.output


def test_retries_as_json_has_one_object_a_state_and_error_without_problems() -> None:
    result = CliRunner().invoke(app, ["retries", "--json"])
    ladders = [json.loads(line) for line in result.stdout.splitlines()]
    pairs = [(each["where"], each["error"]) for each in ladders]
    assert len(pairs) == len(set(pairs))
    (throttled,) = (each for each in ladders if each["error"] == "ModelThrottled")
    assert throttled["attempts"] == len(throttled["longest_waits_seconds"]) + 1
    assert not any(each["problems"] for each in ladders)
