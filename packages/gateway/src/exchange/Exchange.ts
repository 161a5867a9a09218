import type { NanoUsd } from "@tollgate/contract/Money"
import type { Bound } from "@tollgate/contract/Operation"
import type { Estimate } from "@tollgate/contract/price/contracts"
import type { Price } from "@tollgate/contract/price/Price"
import type { Tags } from "@tollgate/contract/Tags"
import type * as Effect from "effect/Effect"
import type { Principal } from "@tollgate/ledger/credential/Keys"
import type { TraceContext } from "../observe/trace/TraceContext.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import { emptyBytes } from "../internal/emptyBytes.ts"

// A request on its way down the path. Each step takes one of these types and returns the next.

/** How far a tool has got, in the words of MCP's `notifications/progress`. */
export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** A call of one operation, as a endpoint group passes it to the gateway. */
export interface Request {
  readonly method: string
  /** Path and query, as sent. */
  readonly url: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Fails with 413 as soon as more than `maxBytes` have arrived. `isJson`: it is refused if it would take long to parse. */
  readonly readBody: (maxBytes: number, isJson: boolean) => Effect.Effect<Uint8Array, Refused>
  /** How many milliseconds ago its first bytes arrived. Default 0. */
  readonly waited?: number | undefined
  /** The client's address, if the endpoint group knows it. */
  readonly address?: () => string | undefined
  /** `tools`: the call came through the tool server, so that a token that was issued for it is good. */
  readonly via?: "tools"
  /** Told how far a call is, if its upstream reports that while it works. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** The span that this call is a part of, instead of the one that the headers name. */
  readonly trace?: TraceContext
}

export interface Match {
  readonly operations: ReadonlyMap<string, Bound>
  readonly parameters: Readonly<Record<string, string>>
  /** The operation's own path, if the request has another one. */
  readonly path?: string | undefined
}

export interface Accepted {
  readonly request: Request
  readonly requestId: string
  /** When its first bytes arrived. */
  readonly since: number
  readonly path: string
  /** Without the question mark, as sent. */
  readonly query: string
  /** `undefined`: no operation has this path. */
  readonly match: Match | undefined
}

export interface Authenticated extends Accepted {
  /** `undefined`: the operation needs no credential. */
  readonly principal: Principal | undefined
}

export interface Routed extends Authenticated {
  readonly match: Match
  readonly operation: Bound
  /** The caller asks what the call would cost, instead of making it. */
  readonly wantsQuote: boolean
}

export interface Decoded extends Routed {
  /** Path, query, headers and body, decoded by the operation's schemas. */
  readonly input: {
    readonly path: Readonly<Record<string, unknown>>
    readonly query: Readonly<Record<string, unknown>>
    readonly header?: Readonly<Record<string, unknown>>
    readonly body: unknown
  }
  /** The model that the call names, in its path or in its body. */
  readonly model: string | undefined
  /** Where a form names the model. */
  readonly modelAt?: { readonly start: number; readonly end: number } | undefined
  /** What the caller files the call under. No upstream gets them. */
  readonly tags?: Tags | undefined
  /** Headers that identify the linked user to the upstream. */
  readonly linkedUserHeaders?: Readonly<Record<string, string>>
  /** The body as sent, unless the gateway put in what it refers to. The upstream gets these bytes. */
  readonly bytes: Uint8Array
  /** The body as sent, if `bytes` is not. */
  readonly asSent?: Uint8Array
  /** The response is kept. */
  readonly keeping?: Keeping
}

/** Where a conversation stands after a response that is kept. */
export interface KeptTurn {
  /** The call that made the response. */
  readonly call: string
  readonly depth: number
  readonly beginsAt: number
  readonly upto: number
  /** Bytes of the conversation, and a digest of it. */
  readonly size: number
  readonly history: string
}

/** What is kept of a call together with its response. */
export interface Keeping extends Pick<KeptTurn, "size" | "history"> {
  readonly account: string
  /** The response that the conversation goes on from. `undefined`: `own` is the whole conversation. */
  readonly previous: KeptTurn | undefined
  /** The one that the caller named. */
  readonly previousId: string | undefined
  /** The items that are new, with commas between them. `undefined`: they are too large. */
  readonly own: Uint8Array | undefined
  /** Bytes of the last items of `own`, which `history` does not have yet. */
  readonly restBytes: number
  /** The ids of items that can be referred to from now on. */
  readonly items: ReadonlyArray<string>
  /** The conversation that goes on, by its id, and the items that the caller adds to it. */
  readonly conversation: { readonly id: string; readonly items: ReadonlyArray<Uint8Array> } | undefined
  /** The upstream is asked for encrypted reasoning that the caller does not get. */
  readonly hidesReasoning: boolean
}

export interface UsedApproval {
  readonly id: string
  /** The call that used it first. With an idempotency key this may be an earlier one. */
  readonly by: string
}

export interface Priced extends Decoded {
  readonly price: Price
  /** When the price was found: prices may depend on the time. */
  readonly pricedAt?: number
  readonly estimate: Estimate
  /** The most that the caller agrees to pay for this call. */
  readonly cap?: NanoUsd
  /** The most tokens of an answer that the cap pays for. Only the upstream gets it, not `bytes`. */
  readonly outputBound?: number
  /** A person approved this call, and it has used the approval. */
  readonly approval?: UsedApproval
  /**
   * Other models that may serve it, by their names in fallbacks: with the price of their own that is charged then. `unfit`: that
   * price does not cover the request. One without an entry costs what the caller's model does.
   */
  readonly alternatives?: ReadonlyMap<string, Alternative | "unfit">
  /** The cap refuses it, unless it repeats a call whose answer is stored. */
  readonly overCap?: Refused
}

export type Alternative = Pick<Priced, "model" | "price" | "estimate">

/** A call whose answer is a stream. It was sent, and the stream may go on for long: the bytes of its request are let go. */
export const withoutBytes = <A extends Decoded>(exchange: A): A => ({ ...exchange, bytes: emptyBytes })

/** A call as it is sent. A priced one may have an output bound. */
export type Sent = Decoded & Partial<Pick<Priced, "alternatives" | "price" | "outputBound">>
