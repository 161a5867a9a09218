import * as Context from "effect/Context"
import type { HttpClientError } from "effect/http/HttpClientError"

/**
 * Whether an error proves that the other side saw nothing of the request. Only the platform's HTTP client can tell; without its
 * word nothing is proven.
 */
export const isNotSent = Context.Reference<(error: HttpClientError) => boolean>("@tollgate/contract/isNotSent", {
  defaultValue: () => () => false
})
