"""Documents through a cloud of their own that is being sabotaged: nothing lost, nothing twice."""

from pathlib import Path

from mailroom_desk.chaos.figures import as_object
from mailroom_desk.chaos.page import page
from mailroom_desk.chaos.plan import default_plan
from mailroom_desk.chaos.run import run

SECONDS = 360  # a bound for a test that would otherwise hang, not a measurement


def test_documents_under_every_fault_keep_the_invariants(tmp_path: Path) -> None:
    # A job that never ends would take the minutes after which the sweeper gives up.
    plan = default_plan(seed=1)
    plan["rules"] = [rule for rule in plan["rules"] if rule["fault"] != "never_ends"]

    result = run(25, 1, plan, tmp_path, timeout=SECONDS)

    broken = {each.name: [*each.broken_by, each.note] for each in result.verdicts if not each.holds}
    assert broken == {}
    told = as_object(result)
    assert sum(told["statuses"].values()) == told["documents"] == 25
    assert told["statuses"]["STORED"] > 0
    assert told["trouble"]["sandboxes killed"] > 0
    assert told["trouble"]["servers killed"] == 2
    assert "Every invariant holds." in page(result)
