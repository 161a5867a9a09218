import { contractOf, estimate } from "@tollgate/contract/price/contracts"
import { one } from "@tollgate/contract/price/Price"
import * as Option from "effect/Option"
import type { Sent } from "../exchange/Exchange.ts"
import type { Endpoint } from "./Endpoint.ts"
import { asksForStream } from "./protocols/message.ts"
import type { Route } from "./Route.ts"

/** What the upstream is expected to charge. One whose prices are not known comes last. */
const costAt = (exchange: Sent, now: number, { model = exchange.model, provider }: Endpoint): number => {
  const listed = provider.prices?.of(exchange.operation, model)
  if (listed === undefined) return Infinity
  const { at, resolve } = contractOf(listed)
  const { body } = exchange.input
  const resolved = resolve?.(listed, body) ?? listed
  const cost = estimate(at?.(resolved, now) ?? resolved, body, one, model)
  return Option.isNone(cost) ? Infinity : Number(cost.value.likely)
}

/** Those of the endpoints that the route prefers for this call. */
export const preferred = (
  { prefer }: Pick<Route, "prefer">,
  endpoints: ReadonlyArray<Endpoint>,
  exchange: Sent,
  now: number
): ReadonlyArray<Endpoint> => {
  const isStream = asksForStream(exchange)
  const ranks = endpoints.map((endpoint) =>
    prefer === "cheapest" ? costAt(exchange, now, endpoint) : (endpoint.speed?.expected(isStream, now) ?? 0)
  )
  const least = Math.min(...ranks)
  return endpoints.filter((_, i) => ranks[i] === least)
}
