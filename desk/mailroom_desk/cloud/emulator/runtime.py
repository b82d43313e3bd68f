"""What a function is run with: the runtime's own packages, and the unpacked bundles.

AWS's Python runtime brings boto3 and the runtime client along. Here they are links into the
desk's own environment, in a folder of their own.
"""

import hashlib
import importlib.util
import io
import shutil
import stat
import sys
import zipfile
from pathlib import Path

from mailroom_desk.cloud.emulator import sandbox

_RUNTIME_MODULES = (
    "awslambdaric",
    "runtime_client",
    "simplejson",
    "snapshot_restore_py",
    "boto3",
    "botocore",
    "s3transfer",
    "jmespath",
    "dateutil",
    "six",
    "urllib3",
)


def link_runtime(folder: Path) -> None:
    """Fill `folder` with links to the packages of AWS's Python runtime."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in _RUNTIME_MODULES:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"the Lambda runtime needs {name}", name=name)
        origin = Path(spec.origin)
        source = origin.parent if spec.submodule_search_locations else origin
        (folder / source.name).symlink_to(source)


def unpack_bundle(bundle: bytes, bundles: Path, runtime: Path) -> Path:
    """Unpack a function's zip into a folder named by its digest, once, with a bootstrap in it.

    The folder is kept over restarts, so that its compiled modules are found again. It appears
    under its name only when it is complete.
    """
    folder = bundles / hashlib.sha256(bundle).hexdigest()
    if folder.is_dir():
        return folder
    unfinished = folder.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        archive.extractall(unfinished)
    bootstrap = unfinished / "bootstrap"
    if not bootstrap.exists():
        bootstrap.write_text(
            "#!/bin/sh\n"
            f'exec "{sys.executable}" -S -P "{sandbox.__file__}" "{runtime}" "$_HANDLER"\n'
        )
    bootstrap.chmod(stat.S_IRWXU)
    unfinished.rename(folder)
    return folder
