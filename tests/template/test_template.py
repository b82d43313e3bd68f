"""The template's rules: rights, logs, queues, time limits, and that nothing goes in a circle."""

import copy
import importlib
import tomllib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

import pytest
from samtranslator.translator.transform import transform
from stack import (
    PSEUDO,
    ROOT,
    functions,
    known_names,
    referenced,
    resolve,
    resources,
    states,
    template,
)

from mailroom import intake
from mailroom.aws.bucket import Bucket
from mailroom.aws.bus import Bus
from mailroom.aws.claude import Claude
from mailroom.aws.clients import client
from mailroom.aws.functions import Function
from mailroom.aws.queue import Queue
from mailroom.aws.table import DocumentTable
from mailroom.aws.textract import Textract
from mailroom.aws.workflow import Workflow
from mailroom.document import INCOMING, Work, ocr_prefix
from mailroom.llm.asking import CALL_SECONDS
from mailroom.settings import (
    ClassifySettings,
    CloserSettings,
    DigestSettings,
    ExtractSettings,
    IntakeSettings,
    OcrDoneSettings,
    StoreSettings,
    SweeperSettings,
)

SETTINGS = {
    "IntakeFunction": IntakeSettings,
    "OcrDoneFunction": OcrDoneSettings,
    "ExtractFunction": ExtractSettings,
    "ClassifyFunction": ClassifySettings,
    "StoreFunction": StoreSettings,
    "CloserFunction": CloserSettings,
    "SweeperFunction": SweeperSettings,
    "DigestFunction": DigestSettings,
}
ASYNCHRONOUS = {"IntakeFunction", "OcrDoneFunction", "CloserFunction", "SweeperFunction"}
NAMES = known_names()
ANY_RESOURCE = {
    "StartJobs": "Textract has no resources to name",
    "AskWhyAJobFailed": "Textract has no resources to name",
    "AskAboutJobs": "Textract has no resources to name",
    "DeliverLogs": "the log delivery API has no resources to name",
    "Trace": "X-Ray has no resources to name",
}
FUNCTIONS = pytest.mark.parametrize("name", functions())


def statements() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every statement that allows something to a role of the stack, with its owner's name."""
    for kind in ("AWS::Serverless::Function", "AWS::Serverless::StateMachine"):
        for name, properties in resources(kind).items():
            for policy in properties["Policies"]:
                assert isinstance(policy, dict) and "Statement" in policy, f"{name}: no template"
                yield from ((name, statement) for statement in policy["Statement"])
    for name, role in resources("AWS::IAM::Role").items():
        for policy in role["Policies"]:
            yield from ((name, each) for each in policy["PolicyDocument"]["Statement"])


def statement_of(owner: str, sid: str) -> dict[str, Any]:
    """One statement, its intrinsic functions resolved."""
    (found,) = (each for name, each in statements() if name == owner and each["Sid"] == sid)
    return dict(resolve(found, NAMES))


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


# -- rights ---------------------------------------------------------------------------------------


def test_every_statement_has_a_name_of_its_own_in_its_role() -> None:
    named = [(owner, statement["Sid"]) for owner, statement in statements()]
    assert len(named) == len(set(named))


def test_no_action_has_a_wildcard() -> None:
    for owner, statement in statements():
        for action in as_list(statement["Action"]):
            assert "*" not in action, f"{owner}: {action}"


def test_any_resource_is_named_only_where_there_is_none_to_name() -> None:
    used = {s["Sid"] for _, s in statements() if "*" in as_list(resolve(s["Resource"], NAMES))}
    assert used == set(ANY_RESOURCE)


def test_textract_may_publish_to_its_topic_and_nothing_else() -> None:
    own = [statement for owner, statement in statements() if owner == "OcrRole"]
    (publish,) = own
    assert publish["Action"] == "sns:Publish"
    assert publish["Resource"] == {"Ref": "OcrTopic"}


def test_only_textract_for_this_account_may_take_its_role() -> None:
    (trust,) = resources("AWS::IAM::Role")["OcrRole"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "textract.amazonaws.com"}
    assert trust["Condition"]["StringEquals"] == {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
    (arn,) = trust["Condition"]["ArnLike"].values()
    assert resolve(arn, NAMES) == f"arn:aws:textract:*:{PSEUDO['AWS::AccountId']}:*"


def test_intake_may_pass_exactly_textracts_role_to_textract() -> None:
    passing = [(o, s) for o, s in statements() if "iam:PassRole" in as_list(s["Action"])]
    ((owner, statement),) = passing
    assert owner == "IntakeFunction"
    assert statement["Resource"] == {"Fn::GetAtt": ["OcrRole", "Arn"]}
    expected = {"StringEquals": {"iam:PassedToService": "textract.amazonaws.com"}}
    assert statement["Condition"] == expected


def test_model_is_reached_through_the_profile_alone() -> None:
    profile = statement_of("ClassifyFunction", "AskThroughTheProfile")
    model = statement_of("ClassifyFunction", "LetTheProfileReachItsModel")
    assert profile["Resource"].endswith(f":inference-profile/{NAMES['ModelId']}")
    condition = model["Condition"]["StringEquals"]["bedrock:InferenceProfileArn"]
    assert condition == profile["Resource"]
    assert model["Resource"] == (
        "arn:aws:bedrock:*::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0"
    )


PROFILES = {
    "global": "global.anthropic.claude-haiku-4-5-20251001-v1:0",
    "eu": "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "us-gov": "us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0",
}


def allowed(
    action: str, resource: str, context: Mapping[str, str], names: Mapping[str, Any]
) -> bool:
    """Whether the classify function's statements allow a call, as IAM decides it.

    Allow alone, `*` within an ARN, and StringEquals: all that these statements use.
    """
    for owner, raw in statements():
        statement = resolve(raw, names)
        conditions = statement.get("Condition", {})
        assert statement["Effect"] == "Allow" and set(conditions) <= {"StringEquals", "StringLike"}
        if (
            owner == "ClassifyFunction"
            and action in as_list(statement["Action"])
            and any(fnmatchcase(resource, each) for each in as_list(statement["Resource"]))
            and all(
                fnmatchcase(context.get(key, ""), value)
                for each in conditions.values()
                for key, value in each.items()
            )
        ):
            return True
    return False


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_profile_may_use_its_model_in_any_region_and_nothing_else(profile: str) -> None:
    names = known_names(ModelId=profile)
    arn = f"arn:aws:bedrock:us-east-1:{PSEUDO['AWS::AccountId']}:inference-profile/{profile}"
    through = {"bedrock:InferenceProfileArn": arn}
    model = profile.partition(".")[2]
    call = "bedrock:InvokeModel"

    assert allowed(call, arn, {}, names)
    # The global profile calls a model without a region, too.
    for region in ("us-east-1", "eu-west-3", "ap-northeast-1", ""):
        models = f"arn:aws:bedrock:{region}::foundation-model"
        assert allowed(call, f"{models}/{model}", through, names)
        assert not allowed(call, f"{models}/{model}", {}, names), "past the profile"
        assert not allowed(call, f"{models}/anthropic.claude-opus-4-1-v1:0", through, names)
        assert not allowed(
            "bedrock:InvokeModelWithResponseStream", f"{models}/{model}", through, names
        )
    other = {"bedrock:InferenceProfileArn": f"{arn}-other"}
    assert not allowed(call, f"arn:aws:bedrock:us-east-1::foundation-model/{model}", other, names)
    assert not allowed(call, f"{arn}-other", {}, names)


def test_no_role_may_subscribe_to_anything_or_change_the_access_to_models() -> None:
    actions = {action for _, statement in statements() for action in as_list(statement["Action"])}
    assert {action for action in actions if action.startswith("bedrock:")} == {
        "bedrock:InvokeModel"
    }
    assert not {action for action in actions if action.startswith("aws-marketplace:")}


def test_nothing_is_written_where_documents_arrive() -> None:
    """No prefix that a function or Textract writes can begin like the trigger's, or contain it."""
    (trigger,) = resources("AWS::S3::Bucket")["Documents"]["NotificationConfiguration"][
        "LambdaConfigurations"
    ]
    (rule,) = trigger["Filter"]["S3Key"]["Rules"]
    assert (rule["Name"], rule["Value"]) == ("prefix", INCOMING)
    assert trigger["Event"] == "s3:ObjectCreated:*"
    written = [
        resource
        for _, statement in statements()
        if "s3:PutObject" in as_list(statement["Action"])
        for resource in as_list(resolve(statement["Resource"], NAMES))
    ]
    prefixes = [resource.partition("/")[2].removesuffix("*") for resource in written]
    assert sorted(set(prefixes)) == [
        "answers/", "backfill/results/", "digests/", "results/", "text/", "textract/",
    ]  # fmt: skip
    work = Work("0" * 40, 1, "b", "incoming/x", "j", "SUCCEEDED")
    for key in (work.text_key, work.results_key, ocr_prefix("0" * 40, 1), *prefixes):
        assert not key.startswith(INCOMING) and not INCOMING.startswith(key)


# -- functions ------------------------------------------------------------------------------------


@FUNCTIONS
def test_function_has_limits_and_a_log_group_that_forgets(name: str) -> None:
    function = functions()[name]
    assert 0 < function["Timeout"] <= 900
    assert 128 <= function["MemorySize"] <= 10240
    assert function["Tracing"] == "Active"
    group = resources("AWS::Logs::LogGroup")[function["LoggingConfig"]["LogGroup"]["Ref"]]
    assert resolve(group["RetentionInDays"], NAMES) == "30"


def test_every_log_group_forgets_and_goes_with_the_stack() -> None:
    for name, group in resources("AWS::Logs::LogGroup").items():
        assert group["RetentionInDays"] == {"Ref": "LogRetentionDays"}, name
        assert template()["Resources"][name]["DeletionPolicy"] == "Delete"


@FUNCTIONS
def test_environment_is_what_the_settings_read(name: str) -> None:
    own = resources("AWS::Serverless::Function")[name]["Environment"]["Variables"]
    resolved = resolve(own, NAMES)
    settings = SETTINGS[name].from_env(resolved)
    assert {key.upper() for key in vars(settings)} == set(own)
    shared = template()["Globals"]["Function"]["Environment"]["Variables"]
    assert all(key.startswith("POWERTOOLS_") for key in shared)


@FUNCTIONS
def test_handler_is_there(name: str) -> None:
    module, _, attribute = functions()[name]["Handler"].rpartition(".")
    assert callable(getattr(importlib.import_module(module), attribute))


def test_what_nobody_takes_is_kept() -> None:
    kept = {name for name, function in functions().items() if "EventInvokeConfig" in function}
    assert kept == ASYNCHRONOUS
    for name in ASYNCHRONOUS:
        on_failure = functions()[name]["EventInvokeConfig"]["DestinationConfig"]["OnFailure"]
        queue = {"Fn::GetAtt": ["Undelivered", "Arn"]}
        assert on_failure == {"Type": "SQS", "Destination": queue}
        allowed = [s for owner, s in statements() if owner == name and s["Resource"] == queue]
        assert [statement["Action"] for statement in allowed] == ["sqs:SendMessage"]


def test_every_event_source_is_of_an_asynchronous_function() -> None:
    for name, function in functions().items():
        assert bool(function.get("Events")) <= (name in ASYNCHRONOUS)


def test_rules_may_leave_what_they_cannot_deliver() -> None:
    (policy,) = resources("AWS::SQS::QueuePolicy").values()
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert policy["Queues"] == [{"Ref": "Undelivered"}]
    assert statement["Principal"] == {"Service": "events.amazonaws.com"}
    assert "${AWS::StackName}-" in statement["Condition"]["ArnLike"]["aws:SourceArn"]["Fn::Sub"]
    for function in functions().values():
        for event in function.get("Events", {}).values():
            if event["Type"] in ("EventBridgeRule", "Schedule"):
                queue = {"Fn::GetAtt": ["Undelivered", "Arn"]}
                assert event["Properties"]["DeadLetterConfig"] == {"Arn": queue}


def test_closer_hears_only_of_this_machine_and_only_of_bad_ends() -> None:
    (event,) = functions()["CloserFunction"]["Events"].values()
    detail = event["Properties"]["Pattern"]["detail"]
    assert detail["stateMachineArn"] == [{"Ref": "DocumentStateMachine"}]
    assert detail["status"] == ["FAILED", "TIMED_OUT", "ABORTED"]


def test_each_queue_is_watched() -> None:
    watched = {
        dimension["Value"]["Fn::GetAtt"][0]
        for alarm in resources("AWS::CloudWatch::Alarm").values()
        for dimension in alarm["Dimensions"]
        if alarm["Namespace"] == "AWS/SQS"
    }
    assert watched == set(resources("AWS::SQS::Queue"))


# -- time limits ----------------------------------------------------------------------------------

SLOWEST = {
    # What may hang in turn before the function gives up. Elsewhere the first time-out raises.
    "IntakeFunction": [Textract, DocumentTable],  # the lease is given back after it
    "OcrDoneFunction": [Workflow],
    "ExtractFunction": [Bucket],
    # Two rounds of answers; no third one is asked for without `CALL_SECONDS` left.
    "ClassifyFunction": [Claude, Claude, Bucket],
    "StoreFunction": [Bucket],
    "CloserFunction": [DocumentTable, Bus],
    "SweeperFunction": [Textract, DocumentTable, Function, Bus],  # of one row; it stops 20 s before
    "DigestFunction": [Bucket],
}
ARGUMENTS: dict[Any, tuple[str, ...]] = {
    Textract: (), DocumentTable: ("t",), Bucket: ("b",), Bus: ("b",), Claude: ("m",), Queue: ("u",),
    Function: ("f",),
    Workflow: ("arn:aws:states:us-east-1:123456789012:stateMachine:m",),
}  # fmt: skip


def longest_call(adapter: Any) -> float:
    """Seconds until a call of an adapter that hangs is given up."""
    client.cache_clear()
    (boto3_client,) = (
        value for value in vars(adapter(*ARGUMENTS[adapter])).values() if hasattr(value, "meta")
    )
    config = boto3_client.meta.config
    assert config.retries["total_max_attempts"] == 1
    return float(config.connect_timeout + config.read_timeout)


@pytest.mark.parametrize("adapter", ARGUMENTS, ids=lambda adapter: adapter.__name__)
def test_every_client_makes_one_attempt_and_gives_up_in_time(adapter: Any) -> None:
    assert longest_call(adapter) < 130


@FUNCTIONS
def test_hanging_calls_end_before_the_function_and_the_function_before_its_state(name: str) -> None:
    timeout = functions()[name]["Timeout"]
    assert sum(longest_call(adapter) for adapter in SLOWEST[name]) < timeout
    for state in states().values():
        if state.get("Resource") == f"${{{name}Arn}}":
            assert timeout < state["TimeoutSeconds"]


def test_answer_is_asked_for_only_where_the_time_of_the_longest_one_is_left() -> None:
    longest = longest_call(Claude) + longest_call(Bucket)
    assert longest <= CALL_SECONDS < functions()["ClassifyFunction"]["Timeout"] / 2 + 1


def test_lease_outlives_the_function_and_ends_before_lambda_tries_again() -> None:
    assert functions()["IntakeFunction"]["Timeout"] < intake.LEASE_SECONDS < 60


# -- bucket, permission, machine ------------------------------------------------------------------


def test_bucket_is_versioned_encrypted_closed_and_heard_on_eventbridge() -> None:
    bucket = resources("AWS::S3::Bucket")["Documents"]
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    assert bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    assert len(bucket["PublicAccessBlockConfiguration"]) == 4
    events = bucket["NotificationConfiguration"]["EventBridgeConfiguration"]
    assert events == {"EventBridgeEnabled": True}
    assert not list(referenced(bucket["BucketName"])) or set(referenced(bucket["BucketName"])) <= {
        "Name",
        *PSEUDO,
    }


def test_bucket_is_reached_by_tls_only() -> None:
    (policy,) = resources("AWS::S3::BucketPolicy").values()
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Action"], statement["Principal"]) == (
        "Deny", "s3:*", "*",
    )  # fmt: skip
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert len(statement["Resource"]) == 2


def test_documents_expire_nowhere_and_work_files_do() -> None:
    rules = resources("AWS::S3::Bucket")["Documents"]["LifecycleConfiguration"]["Rules"]
    expiring = {rule["Prefix"] for rule in rules if "ExpirationInDays" in rule}
    assert expiring == {"textract/", "text/", "answers/", "backfill/"}


def test_only_this_bucket_of_this_account_may_call_intake() -> None:
    (permission,) = resources("AWS::Lambda::Permission").values()
    bucket = resolve(resources("AWS::S3::Bucket")["Documents"]["BucketName"], NAMES)
    assert resolve(permission["SourceArn"], NAMES) == f"arn:aws:s3:::{bucket}"
    assert permission["SourceAccount"] == {"Ref": "AWS::AccountId"}
    assert permission["FunctionName"] == {"Ref": "IntakeFunction"}
    assert template()["Resources"]["Documents"]["DependsOn"] == "IntakePermission"


def test_machine_starts_the_functions_that_it_names_and_no_others() -> None:
    statement = next(
        each
        for owner, each in statements()
        if owner == "DocumentStateMachine" and each["Action"] == "lambda:InvokeFunction"
    )
    called = {
        state["Resource"].strip("${}").removesuffix("Arn")
        for state in states().values()
        if state.get("Resource", "").startswith("${")
    }
    assert set(referenced(statement["Resource"])) == called


def test_ocr_done_starts_the_machine_of_the_template() -> None:
    arn = resolve(functions()["OcrDoneFunction"]["Environment"], NAMES)["Variables"]
    machine = resources("AWS::Serverless::StateMachine")["DocumentStateMachine"]
    name = resolve(machine["Name"], NAMES)
    assert arn["STATE_MACHINE_ARN"].endswith(f":stateMachine:{name}")
    start = statement_of("OcrDoneFunction", "StartExecutions")
    assert start["Resource"] == arn["STATE_MACHINE_ARN"]


# -- the whole ------------------------------------------------------------------------------------


class NoPolicies:
    """The transform asks for AWS's managed policies by name; the template uses none of its own."""

    def load(self) -> dict[str, str]:
        return {"AWSXrayWriteOnlyAccess": "arn:aws:iam::aws:policy/AWSXrayWriteOnlyAccess"}


@pytest.fixture(scope="module")
def transformed() -> dict[str, Any]:
    """The template as CloudFormation gets it."""
    source = copy.deepcopy(template())
    source["Globals"]["Function"]["CodeUri"] = "s3://bucket/code"
    for resource in source["Resources"].values():
        if resource["Type"] == "AWS::Serverless::StateMachine":
            resource["Properties"]["DefinitionUri"] = "s3://bucket/definition"
    return dict(transform(source, {}, NoPolicies()))


def test_resources_depend_on_each_other_in_no_circle(transformed: dict[str, Any]) -> None:
    everything = transformed["Resources"]
    ahead = {
        name: {
            *(each for each in referenced(resource.get("Properties", {})) if each in everything),
            *as_list(resource.get("DependsOn", [])),
        }
        for name, resource in everything.items()
    }
    while ahead:
        ready = [name for name, needs in ahead.items() if not needs & set(ahead)]
        assert ready, f"a circle: {ahead}"
        for name in ready:
            del ahead[name]


def test_every_reference_leads_somewhere(transformed: dict[str, Any]) -> None:
    known = {*transformed["Resources"], *template()["Parameters"], *PSEUDO, "Model"}
    assert set(referenced(transformed["Resources"])) <= known
    assert set(referenced(template()["Outputs"])) <= known


def test_roles_hold_the_written_statements_and_no_wide_managed_policy(
    transformed: dict[str, Any],
) -> None:
    allowed = {"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess", "AWSXRayDaemonWriteAccess"}
    for name, resource in transformed["Resources"].items():
        if resource["Type"] == "AWS::IAM::Role":
            for arn in resource["Properties"].get("ManagedPolicyArns", ()):
                assert resolve(arn, NAMES).rpartition("/")[2] in allowed, name


def test_sam_has_settings_for_aws_and_for_the_local_cloud() -> None:
    settings = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))
    assert {"default", "local"} <= set(settings)
    for environment in ("default", "local"):
        deploy = settings[environment]["deploy"]["parameters"]
        assert deploy["capabilities"] == "CAPABILITY_IAM"
        assert deploy["resolve_s3"] is True
    assert settings["default"]["deploy"]["parameters"]["confirm_changeset"] is True
