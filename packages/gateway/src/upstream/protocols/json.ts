import * as Evidence from "@tollgate/contract/price/evidence"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Option from "effect/Option"
import type { Protocol, Watch } from "../Protocol.ts"

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Utf8.decode(bytes))
  } catch {
    return undefined
  }
}

const unwatched: Watch = {
  pass: (piece) => piece,
  finish: () => new Uint8Array(0),
  seen: () => ({ end: "open", usage: undefined, textBytes: 0 })
}

// The evidence is read from the answer, so it must not come compressed.
const asPlainJson = { accept: "application/json", "accept-encoding": "identity" }
const withBody = { ...asPlainJson, "content-type": "application/json" }

/** The operation's own path, query and body, as they came; JSON back. */
export const json: Protocol = {
  id: "json",
  request: ({ bytes, operation, path, query, requestId }, alias) => {
    const bare = operation.request.body === undefined
    const place = alias.path ?? path
    return {
      path: query === "" ? place : `${place}?${query}`,
      // The same id on both sides, so that two sets of books can be compared.
      headers: { ...(bare ? asPlainJson : withBody), "x-request-id": requestId },
      body: bare ? undefined : bytes
    }
  },
  evidence: ({ price }, answer) =>
    answer.status >= 200 && answer.status < 300 ? Evidence.evidence(price, parse(answer.bytes)) : Option.none(),
  isStreamed: () => false,
  watch: () => unwatched
}
