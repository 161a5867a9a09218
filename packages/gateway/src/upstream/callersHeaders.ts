import * as Headers from "@tollgate/contract/Headers"
import type { Decoded } from "../exchange/Exchange.ts"
import { sentHeaders } from "./protocols/message.ts"
import type { Upstreams } from "./Upstreams.ts"

/** Counts how often a request was sent, which is no part of it. */
const attempts = Headers.retryCount.toLowerCase()

/** The headers of a call that an upstream may get, by their names. */
export type CallersHeaders = (exchange: Decoded) => ReadonlyArray<readonly [name: string, value: string]>

export const make =
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
