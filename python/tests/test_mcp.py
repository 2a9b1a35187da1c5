"""The server for assistants, asked by a client library from the registry."""

import asyncio
import os
import sys

import pytest
from support import LAMP, ROOT

mcp = pytest.importorskip("mcp")

# The package's own command, or another one: TERTIUM_COMMAND=target/debug/tertium.
COMMAND = os.environ.get("TERTIUM_COMMAND", f"{sys.executable} -m tertium").split()


def told(answer):
    """An answer with the names of the protocol, whatever the library's version calls its attributes."""
    return answer.model_dump(by_alias=True, mode="json")


def test_a_real_client_checks_a_model():
    from mcp.client.stdio import stdio_client

    async def talk():
        server = mcp.StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], "mcp"], cwd=str(ROOT))
        async with stdio_client(server) as (read, write), mcp.ClientSession(read, write) as session:
            hello = told(await session.initialize())
            assert hello["serverInfo"]["name"] == "tertium"
            tools = {tool["name"] for tool in told(await session.list_tools())["tools"]}
            assert tools == {"check", "explain", "simulate", "format", "list_properties"}

            async def call(tool, **arguments):
                answer = told(await session.call_tool(tool, arguments))
                return answer["isError"], answer.get("structuredContent"), answer["content"][0]["text"]

            failed, report, _ = await call("check", model=LAMP, language="gcl")
            assert not failed and report["results"][0]["value"] == "false"
            failed, report, _ = await call("check", model="system", language="gcl")
            assert failed and report["error"]["diagnostics"]
            _, listed, _ = await call("list_properties", path="examples/door.kmts")
            assert listed["properties"][0]["name"]
            _, run, _ = await call("simulate", path="examples/peterson.gcl", steps=5)
            assert len(run["run"]["steps"]) == 6
            _, _, text = await call("explain", model=LAMP, language="gcl", property="dark")
            assert "false" in text
            _, neat, _ = await call("format", model=LAMP.replace(" := ", ":="))
            assert neat["text"] == LAMP

    asyncio.run(asyncio.wait_for(talk(), 300))
