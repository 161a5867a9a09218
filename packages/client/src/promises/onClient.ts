import type { Promised } from "./Promises.ts"

/** Where a promise client keeps the function that runs an effect on it, for helpers that a bundler drops if unused. */
export const onClient = Symbol("@tollgate/client/onClient")

/** A client from `createClient` or `promises`. */
export interface AnyPromiseClient {
  readonly close: () => Promise<void>
}

interface Runs {
  readonly [onClient]: Promised
}

export const isPromiseClient = (value: object): value is AnyPromiseClient & Runs => onClient in value
