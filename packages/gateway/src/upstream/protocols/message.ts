import { isFree } from "@tollgate/contract/price/Price"
import type { Decoded } from "../../Exchange.ts"
import { occurrences, set } from "../../internal/jsonEdit.ts"
import type { Alias, Message } from "../Protocol.ts"
import { read } from "./read.ts"

interface Given {
  readonly path?: string | undefined
  readonly streams?: boolean
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** The call as it came, but for what is given. Of the caller's own headers none goes on unless it is given. */
export const messageOf = (exchange: Decoded, given: Given): Message => {
  const { bytes, operation, path: asked, query, requestId } = exchange
  const path = given.path ?? asked
  const headers: Record<string, string> = {
    ...given.headers,
    accept: given.streams === true ? "text/event-stream" : "application/json",
    // The answer is read for what it says of its cost, so it must not come compressed.
    "accept-encoding": "identity",
    // The same id on both sides, so that two sets of books can be compared.
    "x-request-id": requestId
  }
  const bare = operation.request.body === undefined
  if (!bare) headers["content-type"] = "application/json"
  return {
    path: query === "" ? path : `${path}?${query}`,
    headers,
    body: bare ? undefined : (given.body ?? bytes)
  }
}

/** Those of the caller's headers that belong to the protocol. */
export const headersOf = ({ request }: Decoded, names: ReadonlyArray<string>): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const name of names) {
    const value = request.headers[name]
    if (value !== undefined) headers[name] = value
  }
  return headers
}

/**
 * The body, with the model as the upstream calls it. Named twice, it is made the same both times: the last was chosen by, and
 * an upstream might take the first. Where the call costs something, such a body was refused.
 */
export const bodyOf = ({ bytes, model, operation }: Decoded, alias: Alias): Uint8Array => {
  const isTwice = model !== undefined && isFree(operation.price) && occurrences(bytes, "model") > 1
  const name = alias.model ?? (isTwice ? model : undefined)
  return name === undefined ? bytes : set(bytes, ["model"], JSON.stringify(name))
}

export const asksForStream = ({ input }: Decoded): boolean => read(input.body, "stream") === true
