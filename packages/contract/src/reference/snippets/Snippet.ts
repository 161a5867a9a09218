import type { Bound, Operation } from "../../Operation.ts"
import type { Example } from "../Example.ts"
import * as Headers from "../../Headers.ts"

export const languages = ["curl", "promises", "effect", "sdk"] as const
export type Language = (typeof languages)[number]

/** The code that makes the call of an example. */
export interface Snippet {
  readonly language: Language
  /** What a reader calls it: `Effect`, `OpenAI SDK`. */
  readonly title: string
  readonly syntax: "sh" | "ts"
  readonly code: string
}

/** An operation of a gateway: as the catalogue describes it, and with its templates filled in. */
export interface Described {
  readonly operation: Operation
  readonly bound: Bound
  /** The calls to show. Those of `examplesOf`, with the gateway's own models. */
  readonly examples: readonly [Example, ...ReadonlyArray<Example>]
}

export interface Target {
  /** The gateway's address, without a slash at its end. */
  readonly baseUrl: string
  /** Finds an operation by its template, for an example that needs the answer of another. */
  readonly find: (template: string) => Described | undefined
}

/** What the client takes as the options of one call. */
export interface CallOptions {
  readonly maxPrice?: string
  readonly scenario?: string
}

export interface Call extends Described {
  readonly example: Example
  readonly options?: CallOptions
}

/** The options of a call as the headers that say the same. `undefined`: it has none. */
export const optionHeaders = ({
  bound: { names },
  options: { maxPrice, scenario } = {}
}: Call): Readonly<Record<string, string>> | undefined =>
  maxPrice === undefined && scenario === undefined
    ? undefined
    : {
        ...(maxPrice === undefined ? {} : { [Headers.maxPrice(names)]: maxPrice }),
        ...(scenario === undefined ? {} : { [Headers.scenario(names)]: scenario })
      }
