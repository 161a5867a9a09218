import * as Context from "effect/Context"

/** The connections of a store that has several. */
export class StorePool extends Context.Service<
  StorePool,
  {
    readonly size: () => { readonly open: number; readonly idle: number; readonly limit: number }
    /** How many wait for a connection. */
    readonly waiting: () => number
  }
>()("@tollgate/gateway/StorePool") {}
