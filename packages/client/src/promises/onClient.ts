import type { Promised } from "./Promises.ts"

/** Where a promise client, and each of its functions, keeps what runs an effect on it: for helpers that bundlers drop if unused. */
export const onClient: unique symbol = Symbol("@tollgate/client/onClient")

/** A client from `createClient` or `promises`. */
export interface AnyPromiseClient {
  readonly close: () => Promise<void>
}

interface Runs {
  readonly [onClient]: Promised
}

export const isPromiseClient = (value: object): value is AnyPromiseClient & Runs => onClient in value
