import type { Amount } from "@tollgate/contract/Money"
import type { Method } from "@tollgate/contract/Operation"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import type { Family } from "@tollgate/contract/errors/Family"
import type * as Effect from "effect/Effect"
import type { AnySpan } from "effect/Tracer"
import type { Usage } from "../events/usage.ts"
import type { Mode } from "../call/Watch.ts"
import type { Around } from "../call/request.ts"

/** A call that begins. Of its input only the model is included. */
export interface Begun {
  readonly operation: string
  readonly mode: Mode
  readonly method: Method
  /** The protocol, for operations billed by model tokens. */
  readonly protocol: Family | undefined
  /** What OpenTelemetry calls it and whose format it is. Missing if it asks no model, as a quote. */
  readonly genAi: { readonly operation: string; readonly provider: string | undefined } | undefined
  readonly model: string | undefined
  /** Without user name and password. */
  readonly server: { readonly address: string; readonly port: number } | undefined
}

/** How an attempt or a call failed. Without message, body and cause, which may contain the input or a credential. */
export interface Failed {
  /** The error's tag, `interrupted` or `defect`. */
  readonly type: string
  readonly outcome: Outcome
  readonly status?: number
  /** Only codes that the interface defines. */
  readonly code?: string
}

export interface Ended extends Begun {
  /** `left`: the reader stopped a stream early. */
  readonly result: "success" | "failed" | "left"
  readonly failed: Failed | undefined
  readonly millis: number
  /** How often sending was tried. */
  readonly attempts: number
  readonly status: number | undefined
  readonly requestId: string | undefined
  /** Of a replayed answer, what the first call was charged, once. */
  readonly charge: Charge
  /**
   * A stored answer. To sum costs, leave out what is `replayed` and not `recovered`: two calls of a program with the same
   * idempotency key are charged once, and both tell that charge.
   */
  readonly replayed: boolean
  /** A stored answer to this call itself, or to the one that it resumes: an earlier attempt had lost it, with its charge. */
  readonly recovered: boolean
  readonly quote: { readonly estimate: Amount; readonly max: Amount } | undefined
  readonly responseModel: string | undefined
  /** Empty if the operation counts no tokens or the answer does not report them. */
  readonly usage: Usage
  /** For a stream only. */
  readonly events: number | undefined
  /** From the call to the first event of its stream. */
  readonly firstEventMillis: number | undefined
}

/** An effect, which the call waits for, or what a plain function returns. A promise is not waited for. */
export type Told = Effect.Effect<unknown> | Promise<unknown> | void

/** An observer's callbacks for one call. */
export interface Sight {
  /** Added to the request. */
  readonly headers?: Readonly<Record<string, string>>
  /** The parent of spans made during the call. */
  readonly span?: AnySpan
  /** Wraps each request as it is sent, without the hooks of the client and its credential function. */
  readonly around?: Around
  /** The attempt that has ended is followed by another, after this wait. */
  readonly waits?: (millis: number) => Told
  /** An attempt has ended. The first has number 1. */
  readonly attempted?: (number: number, failed: Failed | undefined) => Told
  readonly ended?: (ended: Ended) => Told
}

/**
 * Runs before every call: `({ operation }) => ({ ended: ({ charge }) => console.log(operation, charge.usd) })`. It may
 * return an effect instead, which the call waits for. What it throws does not affect the call.
 */
export type Observer = (begun: Begun) => Sight | Effect.Effect<Sight> | void
