"""Services that the command line's tests have in common."""

from collections.abc import Iterator

import pytest
from aws_fakes import CloudFormation, Functions, serving


@pytest.fixture
def cloudformation(monkeypatch: pytest.MonkeyPatch) -> Iterator[CloudFormation]:
    fake = CloudFormation()
    with serving(fake) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL_CLOUDFORMATION", url)
        yield fake


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch) -> Iterator[Functions]:
    fake = Functions()
    with serving(fake) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", url)
        yield fake
