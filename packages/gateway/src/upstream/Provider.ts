import type * as Redacted from "effect/Redacted"
import type { NanoUsd } from "@tollgate/contract/Money"
import type { Cloud } from "./Cloud.ts"
import type { Rotation } from "./Rotation.ts"
import type { CostBook } from "../exchange/Prices.ts"

/** Where an upstream reports what a canceled task used. */
export interface CanceledCost {
  /** The names of the field and of the objects around it, in the upstream's task. */
  readonly path: ReadonlyArray<string>
  /** USD for each unit of the field. Without it the field is an amount of USD. */
  readonly perUnit?: NanoUsd
}

/** The address, credential and limits of an upstream. Its wire format is in its protocol. */
export interface Provider {
  readonly name: string
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly protocol: string
  readonly credential?: {
    readonly header: string
    /** The one in use. */
    readonly value: Redacted.Redacted
    /** Missing where there is only one. */
    readonly rotation?: Rotation
  }
  /** The cloud that it is in, where that changes addresses, credential or framing. */
  readonly cloud?: Cloud
  /** Sent with every call. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Names, in lower case, of the caller's headers that are passed on. All others are dropped. */
  readonly forwardedHeaders: ReadonlyArray<string>
  /** From the first byte sent to the head of the answer, or to its last byte if it is read as a whole. */
  readonly deadlineMillis: number
  /** The longest pause in a streamed answer. */
  readonly idleMillis: number
  /** The longest whole answer that is accepted. */
  readonly answerBytes: number
  /** The longest event of a streamed answer that is accepted. */
  readonly eventBytes: number
  /** Calls to it at a time. Each has a connection of its own; others wait. */
  readonly connections: number
  /** Where its tasks report the cost of a canceled one. Without it a canceled task costs nothing. */
  readonly canceledCost?: CanceledCost
  /** Its limit of requests per minute, for all callers together. */
  readonly rpm?: number
  /** Its field for the most tokens of an answer, if it is not the protocol's first: `max_tokens`. */
  readonly outputLimit?: string
  /** What it has not of its protocol: fields, or `responses` if it has chat completions only. */
  readonly lacks?: ReadonlyArray<string>
  /** What it charges. Without it the cost of its calls is unknown. */
  readonly prices?: CostBook
  /** Whether it is told the trace that a call is part of. */
  readonly trace?: boolean
  /** Whether its address may be a private one. */
  readonly private: boolean
  /** Whether it is paused after repeated failures. */
  readonly breaker: boolean
  /** What it is asked without a call, to pause it before calls fail. */
  readonly health?: { readonly path: string; readonly everyMillis: number }
}

/** What applies unless the operator sets it. */
export const providerDefaults = { answerBytes: 33_554_432, eventBytes: 1_048_576, connections: 256 }
