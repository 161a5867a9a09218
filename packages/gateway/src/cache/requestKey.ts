import * as Headers from "@tollgate/contract/Headers"
import type { Decoded } from "../exchange/Exchange.ts"
import { sentHeaders } from "../upstream/protocols/message.ts"
import type { Upstreams } from "../upstream/Upstreams.ts"
import type { Catalogue } from "@tollgate/contract/Catalogue"
import { source } from "@tollgate/contract/openapi/OpenApi"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import { forwardedQuery } from "../upstream/forwardedQuery.ts"

/** Counts how often a request was sent, which is no part of it. */
const attempts = Headers.retryCount.toLowerCase()

export type CallersHeaders = (exchange: Decoded) => ReadonlyArray<readonly [name: string, value: string]>

export const callersHeaders =
  ({ forwardedHeaders }: Upstreams["Service"]): CallersHeaders =>
  (exchange) => {
    const parameters = Object.keys(exchange.input.header ?? {})
    const type = exchange.operation.request.bodyType === undefined ? [] : ["content-type"]
    const names = new Set<string>([...sentHeaders, ...parameters, ...forwardedHeaders(exchange), ...type])
    return [...names].toSorted().flatMap((name) => {
      const value = exchange.request.headers[name]
      return value === undefined || name === attempts ? [] : [[name, value] as const]
    })
  }

/**
 * Makes the digests by which kept answers and approvals are found: of the account, all of the request that an upstream may get, and
 * the operation's part of the contract. Neither is found any more once that part has changed.
 */
export const requestKey = (
  catalogue: Catalogue,
  { digestHex }: Digest.Digest["Service"],
  upstreams: Upstreams["Service"]
) => {
  const headersOf = callersHeaders(upstreams)
  const contracts = new Map<string, string>()

  const contractOf = (id: string): Effect.Effect<string> => {
    const known = contracts.get(id)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.map(digestHex(Digest.sha256, Utf8.encode(source(catalogue, id))), (hash) => {
      contracts.set(id, hash)
      return hash
    })
  }

  return (exchange: Decoded, account: string): Effect.Effect<string> => {
    const { asSent, operation, path, request } = exchange
    const bytes = asSent ?? exchange.bytes
    return Effect.flatMap(contractOf(operation.id), (contract) => {
      const { id, names } = operation
      const query = forwardedQuery(exchange)
      const headers = headersOf(exchange)
      const head = [account, id, contract, Object.entries(names), request.method, path, query, headers]
      return digestHex(Digest.sha256, Bytes.concat([Utf8.encode(`${JSON.stringify(head)}\n`), bytes]))
    })
  }
}
