"""The one logger and the one set of metrics. Log lines hold ids and counts, never content."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

Handler = Callable[[Any, LambdaContext], dict[str, Any]]


@cache
def logger() -> Logger:
    """The logger. Made at the first call: nothing reads the environment at import."""
    return Logger(service="mailroom")


@cache
def metrics() -> Metrics:
    """The metrics, written to the log in CloudWatch's embedded format."""
    return Metrics(namespace="Mailroom", service="mailroom")


def count(name: str, value: int = 1) -> None:
    """Add to a metric of this invocation."""
    metrics().add_metric(name=name, unit=MetricUnit.Count, value=value)


@contextmanager
def about(document_id: str, **more: Any) -> Iterator[None]:
    """Put the document's id on every line that is logged inside."""
    keys = {"document_id": document_id, **more}
    logger().append_keys(**keys)
    try:
        yield
    finally:
        logger().remove_keys(list(keys))


def observed(handler: Handler) -> Handler:
    """Log with the function's name and request id, and flush the metrics also when it raises."""

    @wraps(handler)
    def run(event: Any, context: LambdaContext) -> dict[str, Any]:
        try:
            return logger().inject_lambda_context(handler, clear_state=True)(event, context)
        finally:
            if metrics().provider.metric_set:
                metrics().flush_metrics()

    return run
