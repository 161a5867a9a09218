import type { Names } from "../Names.ts"
import type { Replay } from "../Operation.ts"

/** An operation, as a form and a menu need it. */
export interface OfferedOperation {
  readonly id: string
  /** The id before the operator's names are filled in: the name of the operation in the contract. */
  readonly template: string
  readonly category: string
  readonly summary: string
  readonly description: string | null
  readonly method: string
  readonly path: string
  /** The JSON Schema (2020-12) of the arguments, all parts of the request in one object. */
  readonly input_schema: Readonly<Record<string, unknown>>
  /** The part of the request that each argument is sent in. Others go into the body, or into the query if there is none. */
  readonly parts: Readonly<Record<string, "path" | "query" | "header" | "body">>
  /** The argument that is the whole body, if that is no object. */
  readonly body_argument?: string
  /** Arguments that the operation accepts. */
  readonly example: Readonly<Record<string, unknown>>
  /** In words: `0.05 USD per 1,000,000 tokens`. */
  readonly price: string
  readonly is_free: boolean
  readonly streams: boolean
  readonly starts_task: boolean
  readonly replay: Replay
  readonly family: string
  readonly limits: string
  /** What the interface leaves open, in words. */
  readonly pending: ReadonlyArray<string>
  /** Models that can be named. */
  readonly models: ReadonlyArray<string>
}

/** A way in which the sandbox can answer. */
export interface Scenario {
  /** The value of the header: `status; code=429; after=2`. */
  readonly value: string
  readonly title: string
  /** What a caller sees the client do. */
  readonly shows: string
}

/** Everything that a credential can call: `GET /account/v1/operations`. */
export interface Offer {
  readonly names: Names
  readonly operations: ReadonlyArray<OfferedOperation>
  /** Empty unless calls reach the sandbox. */
  readonly scenarios: ReadonlyArray<Scenario>
}

/** The body of `POST /account/v1/snippets`. */
export interface SnippetsRequest {
  readonly operation: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** Whether the answer is streamed, if the operation can. Without it, the arguments say so. */
  readonly stream?: boolean
  /** The cap, in decimal USD. */
  readonly max_price_usd?: string
  /** A scenario of the sandbox, such as one of `Offer.scenarios`. */
  readonly scenario?: string
}

/** The code that makes a call, in the languages of the reference. */
export interface OfferedSnippets {
  readonly snippets: ReadonlyArray<{
    readonly language: string
    readonly title: string
    readonly syntax: "sh" | "ts"
    readonly code: string
  }>
}
