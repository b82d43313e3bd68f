"""Ask again without a temperature where a model takes none.

Mailroom asks for temperature 0. Some models (Claude from Opus 4.7 on, OpenAI's reasoning models)
refuse every request that names a temperature. The first refusal is learnt from: that request is
asked once more without it, and all later ones are asked so from the start.
"""

from mailroom_desk.cloud.claude.backends import Answer, Backend, Json
from mailroom_desk.cloud.claude.errors import ValidationException


class TemperatureOptional:
    """A backend around another one."""

    def __init__(self, inner: Backend) -> None:
        self._inner = inner
        self._is_refused = False

    @property
    def name(self) -> str:
        """The inner one's."""
        return self._inner.name

    def check(self) -> None:
        """The inner one's."""
        self._inner.check()

    def answer(self, request: Json) -> Answer:
        """Answer, without a temperature where the model has refused one. Raises a BedrockError."""
        bare = _without(request)
        if self._is_refused or bare == request:
            return self._inner.answer(bare)
        try:
            return self._inner.answer(request)
        except ValidationException as error:
            if "temperature" not in str(error):
                raise
        answer = self._inner.answer(bare)
        self._is_refused = True
        return answer


def _without(request: Json) -> Json:
    limits = request.get("inferenceConfig") or {}
    kept = {name: value for name, value in limits.items() if name != "temperature"}
    return request | {"inferenceConfig": kept} if len(kept) < len(limits) else request
