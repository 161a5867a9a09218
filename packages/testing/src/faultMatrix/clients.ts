import { raw } from "./fetch.ts"
import { tollgate } from "./tollgate.ts"
import { anthropic, openai } from "./sdks.ts"
import type { ClientCalls } from "./ClientCalls.ts"

export type ClientName = "tollgate" | "fetch" | "openai" | "@anthropic-ai/sdk"

export const clients: Readonly<Record<ClientName, ClientCalls>> = {
  tollgate,
  fetch: raw,
  openai,
  "@anthropic-ai/sdk": anthropic
}
