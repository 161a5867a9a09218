import type { Method } from "@tollgate/contract/Operation"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import type { Family } from "@tollgate/contract/errors/Family"
import type * as Effect from "effect/Effect"
import type { Span } from "effect/Tracer"
import type { Usage } from "../stream/usage.ts"

/** A quote that `withBudget` asks for is one too, within its call. */
export type Mode = "call" | "stream" | "quote"

/** A call that begins. Of what is asked nothing but the model is in it. */
export interface Begun {
  readonly operation: string
  readonly mode: Mode
  readonly method: Method
  /** The protocol that is spoken, of an operation that counts tokens. */
  readonly protocol: Family | undefined
  readonly model: string | undefined
  /** Without the name and password that an address may have. */
  readonly server: { readonly address: string; readonly port: number } | undefined
}

/** How an attempt or a call failed: no message, no body and no cause, which may hold what was asked or a credential. */
export interface Failed {
  /** The error's tag, `interrupted` or `defect`. */
  readonly type: string
  readonly outcome: Outcome
  readonly status?: number
  /** One that the interface knows. */
  readonly code?: string
}

export interface Ended extends Begun {
  /** `left`: the reader of a stream wanted no more. */
  readonly result: "success" | "failed" | "left"
  readonly failed: Failed | undefined
  readonly millis: number
  /** Times that it was sent, or that it was tried to. */
  readonly attempts: number
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly charge: Charge
  /** The stored answer of an earlier call, which was charged for then. */
  readonly replayed: boolean
  readonly quote: { readonly estimate: bigint; readonly max: bigint } | undefined
  readonly responseModel: string | undefined
  /** Empty where the operation counts no tokens, or its answer does not say. */
  readonly usage: Usage
  /** Of a stream. */
  readonly events: number | undefined
}

/** What an observer does about one call. */
export interface Sight {
  /** Sent with the request. */
  readonly headers?: Readonly<Record<string, string>>
  /** What the call does is done below it. */
  readonly span?: Span
  /** An attempt has ended, the first with the number 1. */
  readonly attempted?: (number: number, failed: Failed | undefined) => Effect.Effect<void>
  readonly ended: (ended: Ended) => Effect.Effect<void>
}

/** Is told of every call, and waited for. A defect of its own does not reach the call. */
export type Observer = (begun: Begun) => Effect.Effect<Sight>
