import { raw } from "./fetch.ts"
import { tollgate } from "./ours.ts"
import { anthropic, openai } from "./sdks.ts"
import type { Ways } from "./way.ts"

export type ClientName = "tollgate" | "fetch" | "openai" | "@anthropic-ai/sdk"

export const clients: Readonly<Record<ClientName, Ways>> = {
  tollgate,
  fetch: raw,
  openai,
  "@anthropic-ai/sdk": anthropic
}
