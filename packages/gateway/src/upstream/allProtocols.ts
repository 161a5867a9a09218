import type { Protocol } from "./Protocol.ts"
import { mcp } from "./mcp/protocol.ts"
import { anthropic } from "./protocols/anthropic.ts"
import { gemini } from "./protocols/gemini.ts"
import { json } from "./protocols/json.ts"
import { openai } from "./protocols/openai.ts"
import { task } from "./protocols/task.ts"

export const protocols: ReadonlyArray<Protocol> = [json, task, openai, anthropic, gemini, mcp]
