"""The offline stand-in: answers without a model and without a network.

With tools it chooses one of those offered and fills its schema; without tools it answers with an
extractive summary. The same request always gets the same answer, the tool use id included.
"""

import hashlib
import json

from mailroom_desk.cloud.claude.backends import Answer, Json
from mailroom_desk.cloud.claude.choice import STAND_IN
from mailroom_desk.cloud.claude.offline.prompt import parse_prompt
from mailroom_desk.cloud.claude.offline.reader import Tool, choose_tool, fill
from mailroom_desk.cloud.claude.offline.summary import summarise


class OfflineBackend:
    """The backend behind `--backend offline`."""

    name = STAND_IN

    def check(self) -> None:
        """It is always there."""

    def answer(self, request: Json) -> Answer:
        """Choose a tool and fill it, or summarise where no tool is offered."""
        document = parse_prompt(_user_text(request))
        config = request.get("toolConfig") or {}
        tools = [
            Tool(s["name"], s.get("description", ""), s["inputSchema"]["json"])
            for s in (tool["toolSpec"] for tool in config.get("tools", []) if "toolSpec" in tool)
        ]
        if not tools:
            return Answer([{"text": summarise(document)}], "end_turn")
        forced = config.get("toolChoice", {}).get("tool", {}).get("name")
        tool = next((t for t in tools if t.name == forced), None) or choose_tool(document, tools)
        use = {
            "toolUseId": f"tooluse_{_digest(request)}",
            "name": tool.name,
            "input": fill(document, tool),
        }
        return Answer([{"toolUse": use}], "tool_use")


def _user_text(request: Json) -> str:
    """All text the user sent. Tool results only repeat what was wrong and are left out."""
    blocks = [b for m in request["messages"] if m["role"] == "user" for b in m["content"]]
    return "\n".join(block["text"] for block in blocks if "text" in block)


def _digest(request: Json) -> str:
    canonical = json.dumps(request, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:22]
