import type { Protocol } from "../Protocol.ts"
import { mcp } from "../mcp/protocol.ts"
import { anthropic } from "./anthropic.ts"
import { gemini } from "./gemini.ts"
import { json } from "./json.ts"
import { openai } from "./openai.ts"
import { task } from "./task.ts"

export const protocols: ReadonlyArray<Protocol> = [json, task, openai, anthropic, gemini, mcp]
