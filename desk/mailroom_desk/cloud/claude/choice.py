"""Which Claude answers: the backend and its options, as `mailroom up --claude` takes them.

`choose` fills in what is not given and raises ClaudeUnusable, in one sentence with the next step,
for options that do not go together. A key is never part of a choice: it is read from the
environment by the server alone, so that nothing which is written down or printed can hold one.
"""

from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from mailroom_desk.errors import DeskError

OFFLINE, ANTHROPIC, BEDROCK, OPENAI = "offline", "anthropic", "bedrock", "openai"
STAND_IN = "offline stand-in"
KEYS = {ANTHROPIC: "ANTHROPIC_API_KEY", OPENAI: "OPENAI_API_KEY"}
"""The variables that hold the keys. Ollama and other local servers need none."""

_TAKES: dict[str, tuple[str, ...]] = {
    OFFLINE: (),
    ANTHROPIC: ("model", "url"),
    BEDROCK: ("model", "profile", "region"),
    OPENAI: ("model", "url"),
}
BACKENDS = tuple(_TAKES)
_MODELS = {
    ANTHROPIC: "claude-haiku-4-5",
    BEDROCK: "global.anthropic.claude-haiku-4-5-20251001-v1:0",  # as in template.yaml
}
_URLS = {ANTHROPIC: "https://api.anthropic.com", OPENAI: "http://127.0.0.1:11434"}


class ClaudeUnusable(DeskError):
    """Claude cannot be asked like this. Its text is shown as it stands."""


@dataclass(frozen=True)
class ClaudeChoice:
    """A backend and its options; those that it does not take are None."""

    backend: str = OFFLINE
    model: str | None = None
    url: str | None = None
    profile: str | None = None
    region: str | None = None

    @property
    def name(self) -> str:
        """Who answers, as rows and screens say it."""
        if self.backend == OFFLINE:
            return STAND_IN
        named = f"{self.backend} {self.model}"
        is_usual = self.url is None or self.url == _URLS[ANTHROPIC]
        return named if is_usual else f"{named} at {self.host}"

    @property
    def host(self) -> str:
        """Where the text of the documents goes."""
        return urlsplit(self.url).netloc if self.url else "Bedrock"

    @property
    def options(self) -> dict[str, str]:
        """What was chosen, as options of the server's command line."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def choose(
    backend: str,
    *,
    model: str | None = None,
    url: str | None = None,
    profile: str | None = None,
    region: str | None = None,
) -> ClaudeChoice:
    """The choice with its defaults. Raises ClaudeUnusable."""
    if backend not in _TAKES:
        raise ClaudeUnusable(f"--claude is one of {', '.join(BACKENDS)}.")
    given = {"model": model, "url": url, "profile": profile, "region": region}
    for name, value in given.items():
        if value is not None and name not in _TAKES[backend]:
            raise ClaudeUnusable(f"--claude {backend} takes no --claude-{name}.")
    model = model or _MODELS.get(backend)
    if backend == OPENAI and not model:
        raise ClaudeUnusable(
            "--claude openai needs --claude-model NAME. `ollama list` names the models of Ollama, "
            "GET /v1/models those of another server."
        )
    # Rows, headers and the ledger carry the name.
    if model and not (model.isascii() and model.isprintable()):
        raise ClaudeUnusable("--claude-model has characters that no model's name has.")
    address = _address(url) if url else _URLS.get(backend)
    return ClaudeChoice(backend, model, address, profile, region)


def _address(url: str) -> str:
    """The server's root, without the /v1 that people copy along with it."""
    try:
        parts = urlsplit(url.rstrip("/"))
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ClaudeUnusable(f"--claude-url is like {_URLS[OPENAI]} or {_URLS[ANTHROPIC]}.")
    if "@" in parts.netloc or parts.query:
        raise ClaudeUnusable("--claude-url holds no key and no password: a key is in a variable.")
    return f"{parts.scheme}://{parts.netloc}{parts.path.removesuffix('/v1')}"
