import type { Bound } from "@tollgate/contract/Operation"
import type { HttpClientError } from "effect/http/HttpClientError"
import type { Client } from "./Client.ts"
import { TransportFailed } from "./errors.ts"

/** What a failure of the transport says of the call. */
export const broken =
  (client: Client["Service"], operation: Bound) =>
  (error: HttpClientError): TransportFailed =>
    new TransportFailed({
      operation: operation.id,
      message: error.message,
      outcome: client.isNotSent(error) ? "not executed" : "unknown",
      // Not the error itself: it holds the request, and with it the credential, for whatever prints all fields.
      ...(error.reason.cause === undefined ? {} : { cause: error.reason.cause })
    })
