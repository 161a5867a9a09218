import { type Code, codes } from "./codes.ts"
import * as Cause from "effect/Cause"
import { type NanoUsd, roundToMicros } from "../Money.ts"
import * as Data from "effect/Data"
import * as Option from "effect/Option"

/** An error of the gateway itself, before it is encoded for a family. */
export interface Refusal {
  readonly code: Code
  readonly message: string
  /** Overrides the status of the code: 503 for a managed upstream. */
  readonly status?: number
  /** Milliseconds. */
  readonly retryAfter?: number
  /** The invalid field, for the families that name one. */
  readonly param?: string
  readonly requestId?: string
  /** What the call is expected to cost and can cost at most, if it was refused over that. Micro-USD. */
  readonly cost?: { readonly estimate: number; readonly most: number }
}

export const statusOf = ({ code, status = codes[code].status }: Refusal): number => status

/** What refused a call that its caller may repeat later, or with another account, key or address. */
export const limitKinds = [
  "requests",
  "tokens",
  "concurrency",
  "tasks",
  "polls",
  "address",
  "wrong_credentials",
  "balance",
  "budget",
  "quota",
  "reserved",
  "cap"
] as const
export type LimitKind = (typeof limitKinds)[number]

/** An upstream that was tried for a call. */
export interface TriedUpstream {
  readonly upstream: string
  /** `answered`, or in words why it did not: `not connected`, `busy`, `rate limited`. */
  readonly outcome: string
  /** The model that it was asked for, if that is another one than the caller's. */
  readonly model?: string
}

/** A request that this gateway does not carry out. An endpoint group chooses its shape on the wire, by error family. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly refusal: Refusal
  readonly headers: Readonly<Record<string, string>>
  /** The upstreams that were tried for the call, in order. */
  readonly tried?: ReadonlyArray<TriedUpstream>
  /** The limit that was reached, if it was one. */
  readonly limit?: LimitKind | undefined
  /** The question to a person whose approval the call needs. */
  readonly approval?: string | undefined
}> {}

type Rest = Omit<Refusal, "code" | "message"> & {
  readonly headers?: Readonly<Record<string, string>>
  readonly limit?: LimitKind
  readonly approval?: string | undefined
}

export const refuse = (code: Code, message: string, { approval, headers = {}, limit, ...rest }: Rest = {}): Refused =>
  new Refused({ refusal: { code, message, ...rest }, headers, limit, approval })

/** The store does not answer now. */
export const unavailable = (message: string): Refused => refuse("billing_unavailable", message, { retryAfter: 1_000 })

/** Names the field, parameter or header that is not valid. */
export const invalid = (param: string, message: string): Refused =>
  refuse("invalid_request", `${param}: ${message}`, { param })

/** The same refusal, with the upstreams that led to it. */
export const afterTrying = ({ headers, limit, refusal }: Refused, tried: ReadonlyArray<TriedUpstream>): Refused =>
  new Refused({ refusal, headers, limit, tried })

/** The same refusal, with what the call can cost, if it was refused over that. */
export const tellingCost = (refused: Refused, { likely, most }: Record<"likely" | "most", NanoUsd>): Refused => {
  const { headers, limit, refusal } = refused
  if (statusOf(refusal) !== 402) return refused
  const cost = { estimate: Number(roundToMicros(likely)), most: Number(roundToMicros(most)) }
  return new Refused({ refusal: { ...refusal, cost }, headers, limit })
}

/** The status of a refusal that proves that nothing was executed. */
export const notExecutedStatus = (cause: Cause.Cause<Refused>): number | undefined => {
  const refused = Cause.hasInterrupts(cause) ? Option.none() : Cause.findErrorOption(cause)
  if (Option.isNone(refused)) return undefined
  const { refusal } = refused.value
  return codes[refusal.code].outcome === "not executed" ? statusOf(refusal) : undefined
}
