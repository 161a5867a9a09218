import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { Operation } from "@tollgate/contract/Operation"
import type { Charge } from "@tollgate/contract/Outcome"
import type { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"

/** The status is 200, but the reseller's own `code` in the body is another: the call ran and has no result. */
export class ResellerFailed extends TaggedError("ResellerFailed")<{
  readonly operation: string
  /** The reseller's, if it sent one. */
  readonly message: string
  readonly status: number
  /** The reseller's code, such as `"400"`. */
  readonly code: string
  readonly requestId?: string
  readonly outcome: "executed"
  readonly charge: Charge
  /** The whole body. */
  readonly envelope: ResellerEnvelope
}> {}

/** `ResellerFailed`, for operations that a reseller answers. */
export type ResellerError<O extends Operation> = O["success"] extends typeof ResellerEnvelope ? ResellerFailed : never
