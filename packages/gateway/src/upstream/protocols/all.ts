import type { Protocol } from "../Protocol.ts"
import { anthropic } from "./anthropic.ts"
import { gemini } from "./gemini.ts"
import { json } from "./json.ts"
import { openai } from "./openai.ts"

export const protocols: ReadonlyArray<Protocol> = [
  json,
  // A task is begun by a call like any other; who watches it asks the upstream in the task's own way.
  { ...json, id: "task" },
  openai,
  anthropic,
  gemini
]
