import * as Context from "effect/Context"
import type { HttpClientError } from "effect/http/HttpClientError"

/**
 * Whether an error proves that the server received nothing of the request. Only the platform's HTTP client can tell, so
 * the default is no.
 */
export const isNotSent = Context.Reference<(error: HttpClientError) => boolean>("@tollgate/contract/isNotSent", {
  defaultValue: () => () => false
})
