"""boto3 clients of the local cloud, whatever the user's own AWS configuration says."""

import os
from typing import Any

from mailroom_desk.cloud.settings import REGION


def local_client(service: str, endpoint_url: str) -> Any:
    """A client that talks to `endpoint_url`, with the local cloud's credentials."""
    import boto3
    from botocore.config import Config
    from botocore.session import Session

    # A profile that is set in the environment, and perhaps missing, must not matter here.
    session = Session(
        session_vars={
            "profile": (None, None, None, None),
            "config_file": (None, None, os.devnull, None),
            "credentials_file": (None, None, os.devnull, None),
        }
    )
    session.set_credentials("test", "test")
    # Nor must a proxy, which would be asked for this machine's own address.
    config = Config(proxies={}, s3={"addressing_style": "path"})
    make: Any = boto3.Session(botocore_session=session, region_name=REGION).client
    return make(service, endpoint_url=endpoint_url, config=config)
