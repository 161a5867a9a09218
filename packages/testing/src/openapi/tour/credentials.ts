import type { Caller } from "../Caller.ts"
import { requests } from "./requests.ts"

const anthropic = { "anthropic-version": "2023-06-01" }

/** Keys where the SDKs of Anthropic and Gemini put them, on every operation: where they are not read, the answer is 401. */
export const useOtherSlots = async (caller: Caller) => {
  const { key } = caller
  for (const { call, operation } of requests()) {
    if (operation.access === "open") continue
    const { headers = {}, path } = call
    await caller.send({ ...call, as: null, headers: { ...headers, "x-api-key": key } })
    await caller.send({ ...call, as: null, headers: { ...headers, "x-goog-api-key": key } })
    await caller.send({ ...call, as: null, path: `${path}${path.includes("?") ? "&" : "?"}key=${key}` })
  }
  await caller.send({ path: "/v1/models?limit=1", as: null, headers: { ...anthropic, "x-api-key": key } })
  await caller.send({ path: "/v1/models?limit=1&after_id=sandbox", headers: anthropic })
}

/** Access tokens: one that may do this, one that may not, and one that belongs to nobody. */
export const useTokens = async (caller: Caller, tokens: ReadonlyArray<string>) => {
  for (const as of tokens) for (const { call } of requests()) await caller.send({ ...call, as })
}

/** Documents that the caller has already. */
export const askAgain = async (caller: Caller, hash: string) => {
  for (const path of ["/api/contracts/version", `/api/contracts/source?hash=${hash}&operation_id=rerank`]) {
    const { headers } = await caller.send({ path, as: null })
    await caller.send({ path, as: null, headers: { "if-none-match": headers.get("etag") ?? "" } })
  }
}
