"""The fault plan: what it refuses, and that its choice follows the seed."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mailroom_desk.cloud import faults as plans
from mailroom_desk.cloud.fault_choice import Faults
from mailroom_desk.cloud.fault_table import FAULTS
from mailroom_desk.cloud.faults import CLAUDE, TEXTRACT, PlanError, load_plan, parse_plan
from mailroom_desk.cloud.folder import Folder
from mailroom_desk.cloud.servers import servers
from mailroom_desk.cloud.settings import Ports, Settings
from mailroom_desk.cloud.supervisor import order

START = "StartDocumentAnalysis"
THROTTLE = {
    "service": TEXTRACT,
    "operation": START,
    "fault": "error",
    "code": "ThrottlingException",
}


def faults(*rules: dict[str, Any], service: str = TEXTRACT, **plan: Any) -> Faults:
    return Faults(service, parse_plan(json.dumps(plan | {"rules": rules})))


def strikes(plan: Faults, document: str, calls: int) -> list[bool]:
    return [plan.of_call(START, lambda: [document]) is not None for _ in range(calls)]


def test_example_of_the_documentation_is_a_plan() -> None:
    lines = (plans.__doc__ or "").splitlines()
    example = lines[lines.index("    {") : lines.index("    }") + 1]
    plan = parse_plan(
        "\n".join(
            line.partition("   L")[0].partition("   P")[0].partition("   h")[0] for line in example
        )
    )
    assert (plan.seed, plan.open_jobs, plan.job_seconds, len(plan.rules)) == (1, 100, (3, 8), 4)


def test_every_fault_of_the_table_is_described() -> None:
    assert [name for name in FAULTS if f"`{name}`" not in (plans.__doc__ or "")] == []


REFUSED: dict[str, tuple[Any, str]] = {
    "no object": ([], "not a JSON object"),
    "unknown member": ({"sed": 1}, "unknown sed; there are"),
    "seed": ({"seed": "a"}, "seed must be"),
    "rules": ({"rules": {}}, "rules must be"),
    "range": ({"job_seconds": [3, 1]}, "job_seconds must be"),
    "open jobs": ({"open_jobs": -1}, "open_jobs must be"),
    "starts": ({"starts_per_second": 0}, "starts_per_second must be"),
    "rule": ({"rules": [1]}, "rule 1 is not an object"),
    "fault": ({"rules": [THROTTLE | {"fault": "fire"}]}, "unknown fault 'fire'"),
    "service": ({"rules": [THROTTLE | {"service": "s3"}]}, "service must be"),
    "other service's": ({"rules": [{"service": CLAUDE, "fault": "lost"}]}, "has no fault lost"),
    "operation": ({"rules": [THROTTLE | {"operation": "Job"}]}, "operation of error must be"),
    "code": ({"rules": [THROTTLE | {"code": "Oops"}]}, "no documented error 'Oops'"),
    "code of another": (
        {"rules": [THROTTLE | {"code": "InvalidJobIdException"}]},
        "no documented error 'InvalidJobIdException'",
    ),
    "parameter": ({"rules": [THROTTLE | {"copies": 2}]}, "rule 1: unknown copies"),
    "parameter's type": (
        {"rules": [{"service": TEXTRACT, "fault": "late", "seconds": "x"}]},
        "seconds of late must be like 30",
    ),
    "parameter's choice": (
        {"rules": [{"service": CLAUDE, "fault": "stop_reason", "reason": "tired"}]},
        "reason must be one of end_turn",
    ),
    "rate": ({"rules": [THROTTLE | {"rate": 1.5}]}, "rate must be"),
    "first": ({"rules": [THROTTLE | {"first": -1}]}, "first must be"),
    "documents": ({"rules": [THROTTLE | {"documents": "a"}]}, "documents must be"),
    "no documents": ({"rules": [THROTTLE | {"documents": []}]}, "never apply"),
}


@pytest.mark.parametrize(("plan", "sentence"), REFUSED.values(), ids=list(REFUSED))
def test_plan_that_cannot_be_followed_is_refused_with_a_sentence(plan: Any, sentence: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse_plan(json.dumps(plan))
    assert sentence in str(caught.value)


@given(st.binary(max_size=40))
def test_plan_of_any_bytes_is_a_plan_or_a_plan_error(text: bytes) -> None:
    try:
        parse_plan(text)
    except PlanError as error:
        assert str(error)


def test_plan_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="cannot be read"):
        load_plan(tmp_path / "none.json")


def test_error_rule_for_all_operations_holds_for_those_that_document_its_code() -> None:
    [rule] = faults(THROTTLE | {"operation": "*", "code": "LimitExceededException"}).plan.rules
    assert rule.operations == {START}


def test_rate_strikes_its_share_and_the_same_calls_in_every_run() -> None:
    rule = THROTTLE | {"rate": 0.3}
    documents = [f"d{number}" for number in range(500)]
    runs = [[strikes(plan, d, 3) for d in documents] for plan in (faults(rule), faults(rule))]
    assert runs[0] == runs[1]
    hits = [hit for calls in runs[0] for hit in calls]
    assert 0.25 < sum(hits) / len(hits) < 0.35
    assert any(calls[0] and not calls[1] for calls in runs[0])  # a retry can succeed
    assert runs[0] != [strikes(other, d, 3) for other in [faults(rule, seed=2)] for d in documents]


def test_first_strikes_the_first_calls_of_each_document() -> None:
    plan = faults(THROTTLE | {"first": 2})
    assert [strikes(plan, d, 3) for d in "ab"] == [[True, True, False]] * 2


def test_count_strikes_so_often_in_all() -> None:
    plan = faults(THROTTLE | {"count": 3})
    assert strikes(plan, "a", 2) + strikes(plan, "b", 2) == [True, True, True, False]
    assert plan.hits() == [3]


def test_documents_strikes_ids_and_keys_that_begin_so() -> None:
    plan = faults(THROTTLE | {"documents": ["0f", "incoming/a"]})
    names = [["0f3", "incoming/b"], ["1f3", "incoming/a.pdf"], ["1f3", "incoming/b"]]
    assert [plan.of_call(START, lambda n=n: n) is not None for n in names] == [True, True, False]


def test_first_rule_that_applies_wins() -> None:
    plan = faults(THROTTLE | {"first": 1}, {"service": TEXTRACT, "fault": "dropped"})
    rules = [plan.of_call(START, lambda: ["d"]) for _ in range(2)]
    assert [rule and rule.fault for rule in rules] == ["error", "dropped"]


def test_rule_of_the_other_service_is_left_alone() -> None:
    assert strikes(faults(THROTTLE, service=CLAUDE), "d", 1) == [False]


def test_fault_of_a_job_is_the_same_however_often_it_is_asked() -> None:
    plan = faults({"service": TEXTRACT, "fault": "lost", "count": 1})
    rules = [plan.of_job("notice", ["d"], 0) for _ in range(3)]
    assert all(rules)
    assert plan.of_job("notice", ["e"], 0) is None
    assert plan.hits() == [1]


def test_draw_is_within_its_bounds_and_follows_the_seed() -> None:
    drawn = [faults(seed=seed).draw(3, 8, "job", "d") for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(3 <= seconds < 8 for seconds in drawn)


def test_new_plan_begins_to_count_anew() -> None:
    plan = faults(THROTTLE | {"first": 1})
    assert strikes(plan, "d", 2) == [True, False]
    plan.replace(plan.plan)
    assert (strikes(plan, "d", 1), plan.hits()) == ([True], [1])


def test_settings_hand_a_plan_to_both_servers_over_the_supervisor(tmp_path: Path) -> None:
    settings, ports = Settings(faults=tmp_path / "plan.json"), Ports(1, 2, 3)
    sent = json.loads(order(Folder(tmp_path), ports, settings))["settings"]
    started = servers(Folder(tmp_path), ports, Settings(**sent))
    given_plan = [s.name for s in started if str(tmp_path / "plan.json") in s.command]
    assert given_plan == ["textract", "claude"]
    assert not any("--faults" in s.command for s in servers(Folder(tmp_path), ports, Settings()))
