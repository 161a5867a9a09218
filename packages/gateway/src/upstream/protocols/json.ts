import * as Evidence from "@tollgate/contract/price/evidence"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import type { Protocol } from "../Protocol.ts"

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Utf8.decode(bytes))
  } catch {
    return undefined
  }
}

// The evidence is read from the answer, so it must not come compressed.
const asPlainJson = { accept: "application/json", "accept-encoding": "identity" }

/** The operation's own path, query and body, as they came; JSON back. */
export const json: Protocol = {
  id: "json",
  request: ({ bytes, operation, path, query, requestId }, provider) =>
    HttpClientRequest.make(operation.method)(`${provider.baseUrl}${path}${query === "" ? "" : `?${query}`}`, {
      // The same id on both sides, so that two sets of books can be compared.
      headers: { ...asPlainJson, "x-request-id": requestId },
      ...(operation.request.body === undefined ? {} : { body: HttpBody.uint8Array(bytes, "application/json") })
    }),
  evidence: ({ price }, answer) =>
    answer.status >= 200 && answer.status < 300 ? Evidence.evidence(price, parse(answer.bytes)) : Option.none()
}
