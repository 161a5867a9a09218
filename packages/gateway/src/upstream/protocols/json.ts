import type { Protocol, Watch } from "../Protocol.ts"
import { nothing } from "./hold.ts"
import { messageOf } from "./message.ts"
import { proofOf } from "./proof.ts"

const unwatched: Watch = {
  pass: (piece) => piece,
  finish: () => nothing,
  seen: () => ({ end: "open", usage: undefined, textBytes: 0 })
}

/** The operation's own path, query and body, as they came; JSON back. */
export const json: Protocol = {
  id: "json",
  request: (exchange, alias) => messageOf(exchange, { path: alias.path }),
  evidence: proofOf(() => undefined),
  isStreamed: () => false,
  watch: () => unwatched
}
