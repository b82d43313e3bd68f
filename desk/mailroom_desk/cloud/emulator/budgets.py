"""Budgets that a template names.

Gap of ministack 1.5.33 that is closed here: it has the Budgets API and no resource for budgets,
so that a stack with one is refused as a whole. A budget is kept and can be described; nothing is
spent here, so that none is ever exceeded.
"""

from typing import Any

from ministack.services import budgets
from ministack.services.cloudformation import provisioners

_RESOURCE = "AWS::Budgets::Budget"


def install() -> None:
    """Let CloudFormation make, change and delete budgets."""
    provisioners._RESOURCE_HANDLERS[_RESOURCE] = {
        "create": _create,
        "update": _update,
        "delete": _delete,
    }


def _create(logical_id: str, properties: dict[str, Any], stack_name: str) -> tuple[str, Any]:
    name = properties["Budget"].get("BudgetName") or f"{stack_name}-{logical_id}"
    given = {
        "Budget": _typed(properties["Budget"] | {"BudgetName": name}),
        "NotificationsWithSubscribers": _typed(properties.get("NotificationsWithSubscribers", [])),
    }
    status, _, body = budgets._create_budget(given)
    if status >= 400:
        raise ValueError(f"{_RESOURCE}: {body!r}")
    return name, {}


def _update(physical_id: str, old: Any, new: dict[str, Any], stack_name: str) -> tuple[str, Any]:
    # Notifications are parts of their own in the API; in a template they belong to the budget.
    _delete(physical_id, old)
    return _create(physical_id, new, stack_name)


def _delete(physical_id: str, properties: Any) -> None:
    budgets._delete_budget({"BudgetName": physical_id})


def _typed(value: Any) -> Any:
    """Amounts as text and thresholds as numbers, as the API has them and templates may not."""
    if isinstance(value, list):
        return [_typed(each) for each in value]
    if not isinstance(value, dict):
        return value
    as_written = {"Amount": str, "Threshold": float}
    return {key: as_written.get(key, _typed)(each) for key, each in value.items()}
