import * as Context from "effect/Context"
import type { Transact } from "./Transaction.ts"

/**
 * A store over the network that runs a transaction in two round trips: its reads are sent together, and its writes together
 * with the COMMIT. A driver that can do this provides it beside `SqlClient`.
 */
export class PipelinedStore extends Context.Service<PipelinedStore, { readonly transact: Transact }>()(
  "@tollgate/gateway/store/PipelinedStore"
) {}
