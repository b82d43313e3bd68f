"""The launcher's pure parts: retry delays, error names, requests and results, the guard."""

import io
import zipfile
from pathlib import Path

import botocore.session
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ministack.services import stepfunctions

from mailroom_desk.cloud.emulator import ministack_internals
from mailroom_desk.cloud.emulator.executions import retry_delay
from mailroom_desk.cloud.emulator.integrations import error_name, to_request, to_result
from mailroom_desk.cloud.emulator.runtime import unpack_bundle


def test_ministack_internals_as_installed_are_what_the_launcher_expects() -> None:
    ministack_internals.check()


def test_ministack_internals_with_a_changed_name_are_refused_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(stepfunctions, "_start_execution")
    with pytest.raises(ministack_internals.EmulatorChangedError, match="_start_execution is gone"):
        ministack_internals.check()


def test_retry_delay_grows_by_the_rate_up_to_the_cap() -> None:
    retrier = {"IntervalSeconds": 2, "BackoffRate": 3, "MaxDelaySeconds": 10}
    assert [retry_delay(retrier, retries) for retries in range(4)] == [2, 6, 10, 10]


def test_retry_delay_without_fields_has_the_defaults_of_the_states_language() -> None:
    assert [retry_delay({}, retries) for retries in range(3)] == [1, 2, 4]


@given(retries=st.integers(0, 12))
def test_retry_delay_with_full_jitter_stays_between_nothing_and_the_delay(retries: int) -> None:
    retrier = {"IntervalSeconds": 2, "MaxDelaySeconds": 60, "JitterStrategy": "FULL"}
    assert 0 <= retry_delay(retrier, retries) <= min(2 * 2**retries, 60)


@pytest.mark.parametrize(
    ("service", "prefix", "operation", "code", "expected"),
    [
        ("s3", "S3", "GetObject", "NoSuchKey", "S3.NoSuchKeyException"),
        ("s3", "S3", "GetObject", "AccessDenied", "S3.S3Exception"),
        ("bedrock-runtime", "Bedrock", "InvokeModel", "ThrottlingException",
         "Bedrock.ThrottlingException"),
        ("bedrock-runtime", "BedrockRuntime", "Converse", "ThrottlingException",
         "BedrockRuntime.ThrottlingException"),
    ],
)  # fmt: skip
def test_error_name_is_the_one_of_step_functions(
    service: str, prefix: str, operation: str, code: str, expected: str
) -> None:
    model = botocore.session.get_session().get_service_model(service).operation_model(operation)
    assert error_name(prefix, code, model.error_shapes) == expected


def test_to_request_names_members_as_the_model_does_at_every_depth() -> None:
    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    parameters = {
        "ModelId": "m",
        "Messages": [{"Role": "user", "Content": [{"Text": "hello"}]}],
        "InferenceConfig": {"MaxTokens": 5},
    }
    assert to_request(parameters, service.operation_model("Converse").input_shape) == {
        "modelId": "m",
        "messages": [{"role": "user", "content": [{"text": "hello"}]}],
        "inferenceConfig": {"maxTokens": 5},
    }


def test_to_result_names_members_in_pascal_case_and_leaves_json_bodies_as_text() -> None:
    service = botocore.session.get_session().get_service_model("s3")
    answer = {
        "Body": io.BytesIO(b'{"a": 1}'),
        "ContentLength": 8,
        "ResponseMetadata": {"HTTPStatusCode": 200},
    }
    assert to_result(answer, service.operation_model("GetObject").output_shape) == {
        "Body": '{"a": 1}',
        "ContentLength": 8,
    }


def test_unpack_bundle_a_second_time_keeps_the_folder_with_its_compiled_modules(
    tmp_path: Path,
) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as bundle:
        bundle.writestr("app.py", "handler = print\n")
    folder = unpack_bundle(archive.getvalue(), tmp_path, tmp_path / "runtime")
    (folder / "__pycache__").mkdir()

    assert unpack_bundle(archive.getvalue(), tmp_path, tmp_path / "runtime") == folder
    assert {path.name for path in folder.iterdir()} == {"app.py", "bootstrap", "__pycache__"}
    assert (folder / "bootstrap").stat().st_mode & 0o100
