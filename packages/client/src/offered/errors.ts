import type { DeclaredStatus } from "@tollgate/contract/errors/ApiError"
import type * as declared from "@tollgate/contract/errors/declared"
import type { Operation, Request } from "@tollgate/contract/Operation"
import type * as Schema from "effect/Schema"
import type { CallError, Listed } from "../errors/errors.ts"
import type { StreamError } from "../call/stream/streaming.ts"

type Offered<S extends DeclaredStatus> = Operation<Request, Schema.Unknown, S>

/** Every error of an operation that declares these statuses. */
export type OfferedError<S extends DeclaredStatus = DeclaredStatus> = Listed<CallError<Offered<S>>>

/** Every error of an operation that costs something. */
export type BilledError = OfferedError<(typeof declared.billed)[number]>

/** Every error of a free operation. */
export type FreeError = OfferedError<(typeof declared.free)[number]>

/** Every error of a stream of such an operation. */
export type OfferedStreamError<S extends DeclaredStatus = DeclaredStatus> = Listed<StreamError<Offered<S>>>
