"""One Lambda sandbox: what its process does before AWS's own runtime client takes over.

Run as a file, under `python -S`, with two arguments: the folder of the runtime's own packages and
the handler. A sandbox sees what a function sees on AWS: the standard library, its own bundle, and
the packages that AWS's runtime brings along. A package that is only installed at the desk is not
there, so that a missing requirement fails here and not after the deployment.
"""

import ctypes
import os
import signal
import sys

# linux/prctl.h
_PR_SET_PDEATHSIG = 1


def main() -> None:
    runtime_folder, handler = sys.argv[1:3]
    if sys.platform == "linux":
        # The emulator starts sandboxes from threads that live as long as it does.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    function = os.environ["AWS_LAMBDA_FUNCTION_NAME"]
    os.environ["AWS_LAMBDA_LOG_GROUP_NAME"] = f"/aws/lambda/{function}"
    os.environ["AWS_LAMBDA_INITIALIZATION_TYPE"] = "on-demand"
    os.environ["AWS_EXECUTION_ENV"] = "AWS_Lambda_python{}.{}".format(*sys.version_info[:2])
    os.environ["TZ"] = ":UTC"
    sys.path[:0] = [os.environ["LAMBDA_TASK_ROOT"], runtime_folder]

    from awslambdaric.__main__ import main as run

    run(["awslambdaric", handler])


if __name__ == "__main__":
    main()
