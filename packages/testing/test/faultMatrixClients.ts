import { raw } from "./faultMatrixFetch.ts"
import { tollgate } from "./faultMatrixOurs.ts"
import { anthropic, openai } from "./faultMatrixSdks.ts"
import type { Ways } from "./faultMatrixWay.ts"

export type ClientName = "tollgate" | "fetch" | "openai" | "@anthropic-ai/sdk"

export const clients: Readonly<Record<ClientName, Ways>> = {
  tollgate,
  fetch: raw,
  openai,
  "@anthropic-ai/sdk": anthropic
}
