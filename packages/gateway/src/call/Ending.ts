import type { Charge } from "@tollgate/contract/Outcome"
import type { Routed } from "../exchange/Exchange.ts"
import type { Admission } from "../limits/Admission.ts"
import type { Answer, Reply } from "../exchange/Reply.ts"
import type { Repeatable } from "../cache/RecentAnswers.ts"
import { decode } from "@tollgate/contract/errors/decode"
import type { Bound } from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Attempted } from "@tollgate/ledger/ledger/Command"
import type { Whole } from "../upstream/Called.ts"

export interface Ending {
  readonly reply: Reply
  /** Tokens used, to correct the limits by; `undefined` if not known. `later`: a stream ends its admission itself. */
  readonly tokens: number | undefined | "later"
}

/** The call was executed before: its answer is sent again. */
export interface Replay {
  readonly kind: "replay"
  readonly repeatable: Repeatable
  /** Of the earlier call. */
  readonly charge: Charge
}

/** How a streamed answer ended. `finished`: the upstream ended it; `cut`: it broke off; `left`: the caller left before that. */
export type StreamEnd = "finished" | "cut" | "left"

export const free: Charge = { state: "none" }

export const wholeEnding = (
  exchange: Routed,
  answer: Answer,
  { limits }: Admission,
  charge: Charge,
  tokens: number | undefined
): Ending => ({ reply: { kind: "whole", exchange, answer, limits, charge }, tokens })

/** A larger body is no error that a person reads. */
const mostBytes = 65_536

/** An answer of 2xx that says that the call failed, without the gateway's credential, which it may repeat. */
export const scrubbedFailure = (called: Whole): Whole => ({
  ...called,
  answer: called.scrub?.(called.answer) ?? called.answer
})

/** Who answered a call that failed, with what the answer says: the client reads it in the same way. */
export const failing = (
  { operation }: { readonly operation: Pick<Bound, "names"> },
  { answer, provider, tried }: Pick<Whole, "answer" | "provider" | "tried">
): Attempted => {
  const { bytes, contentType, status } = answer
  const body = bytes.length > mostBytes ? "" : Utf8.decode(bytes)
  const headers = contentType === undefined ? {} : { "content-type": contentType }
  return { provider, tried, error: decode({ status, headers, body }, operation.names, 0) }
}
