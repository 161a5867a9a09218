import type { DeclaredStatus } from "@tollgate/contract/errors/ApiError"
import type * as declared from "@tollgate/contract/errors/Family"
import type { Family } from "@tollgate/contract/errors/Family"
import type { Method, Operation, Replay, Request } from "@tollgate/contract/Operation"
import type { Price } from "@tollgate/contract/price/Price"
import type { QueryStyles } from "@tollgate/contract/QueryStyle"
import type { LimitGroup } from "@tollgate/contract/limits"
import type * as Schema from "effect/Schema"
import type { CallError, Listed } from "../errors/errors.ts"
import type { StreamError } from "../call/stream/streaming.ts"

/** What a client has to know of an operation that only a gateway describes. Its input is one object of all arguments. */
export interface Description {
  readonly id: string
  readonly method: Method
  /** Parameters are in braces, and are arguments. */
  readonly path: string
  /** The arguments that are sent in the query. */
  readonly query?: ReadonlyArray<string>
  /** How lists and objects are written in the query, where they are not one text. */
  readonly styles?: QueryStyles
  /** The arguments that are sent as headers. */
  readonly header?: ReadonlyArray<string>
  /** `fields`: all other arguments are its fields. `value`: the argument `body` is the body. */
  readonly body?: "fields" | "value"
  /** The type of a body that is not JSON: the parts of a form, or bytes. */
  readonly bodyType?: string
  /** Headers with a fixed value. */
  readonly headers?: Readonly<Record<string, string>>
  /** The answer is bytes, of any type. Without it, only an answer that is not JSON is. */
  readonly answer?: "bytes"
  readonly price: Price["contract"]
  readonly replay: Replay
  /** Default: those of a free or of a billed operation. */
  readonly errors?: ReadonlyArray<DeclaredStatus>
  /** Default: `data`. */
  readonly family?: Family
  /** Default: only the requests of the key are counted. */
  readonly limit?: LimitGroup
  /** Whether it needs no credential. */
  readonly open?: true
}

type Offered<S extends DeclaredStatus> = Operation<Request, Schema.Unknown, S>

/** Every error of an operation that declares these statuses. */
export type DiscoveryError<S extends DeclaredStatus = DeclaredStatus> = Listed<CallError<Offered<S>>>

/** Every error of an operation that costs something. */
export type BilledError = DiscoveryError<(typeof declared.billed)[number]>

/** Every error of a free operation. */
export type FreeError = DiscoveryError<(typeof declared.free)[number]>

/** Every error of a stream of such an operation. */
export type DiscoveredStreamError<S extends DeclaredStatus = DeclaredStatus> = Listed<StreamError<Offered<S>>>
