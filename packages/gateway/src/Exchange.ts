import type { Bound } from "@tollgate/contract/Operation"
import type { Estimate } from "@tollgate/contract/price/estimate"
import type { Price } from "@tollgate/contract/price/Price"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Principal } from "./credential/Keys.ts"
import type { Match } from "./Router.ts"

// What is known of a request as it moves down the path. Each step takes the one above and hands on the one below.

export interface Accepted {
  readonly request: HttpServerRequest
  readonly requestId: string
  readonly path: string
  /** Without the question mark, as it was sent. */
  readonly query: string
  readonly match: Match | undefined
}

export interface Authenticated extends Accepted {
  /** Missing where the operation needs no credential. */
  readonly principal: Principal | undefined
}

export interface Routed extends Authenticated {
  readonly match: Match
  readonly operation: Bound
}

export interface Decoded extends Routed {
  /** Path, query and body as the operation's schemas know them. */
  readonly input: {
    readonly path: Readonly<Record<string, unknown>>
    readonly query: Readonly<Record<string, unknown>>
    readonly body: unknown
  }
  /** The model that the call names, in its path or in its body. */
  readonly model: string | undefined
  /** Headers of the linked user that the call acts for. */
  readonly acting?: Readonly<Record<string, string>>
  /** The body as it was sent: what an upstream gets. */
  readonly bytes: Uint8Array
}

export interface Priced extends Decoded {
  readonly price: Price
  readonly estimate: Estimate
}
