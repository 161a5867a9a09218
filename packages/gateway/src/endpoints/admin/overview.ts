import type { Found, overview } from "@tollgate/contract/admin/Overview"
import type { Bound } from "@tollgate/contract/Operation"
import { isByModel } from "@tollgate/contract/price/Price"
import type { CallLog } from "@tollgate/ledger/usage/CallLog"
import type { Usage } from "@tollgate/ledger/usage/Usage"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Gateway } from "../../call/Gateway.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { health, type UpstreamsInForce } from "./upstreams.ts"

const most = 10

const callsOf = (param: "model" | "operation", value: string) => `/calls?${param}=${encodeURIComponent(value)}`

/** The operations and models that a text is part of. */
const described = ({ catalogue, prices }: Gateway, text: string): ReadonlyArray<Found> => {
  const wanted = text.toLowerCase()
  const has = (...texts: ReadonlyArray<string>) => texts.some((one) => one.toLowerCase().includes(wanted))
  const operations = catalogue.bound.filter(({ id, path }) => has(id, path))
  const modelsOf = (operation: Bound) => {
    const price = prices.all?.(operation) ?? prices.of(operation)
    return isByModel(price) ? Object.keys(price.models) : []
  }
  const models = new Set(catalogue.bound.flatMap(modelsOf).filter((model) => !model.endsWith("*") && has(model)))
  return [
    ...[...models].slice(0, most).map((id): Found => ({
      kind: "model",
      id,
      label: "",
      account: null,
      path: callsOf("model", id)
    })),
    ...operations.slice(0, most).map(({ id, path }): Found => ({
      kind: "operation",
      id,
      label: path,
      account: null,
      path: callsOf("operation", id)
    }))
  ]
}

/** Without prices no model is known, and without upstreams no state. */
export interface OverviewParts {
  readonly upstreams?: () => UpstreamsInForce
  readonly prices?: { readonly gateway: () => Gateway }
}

export const overviewHandlers = (
  usage: Usage["Service"],
  log: CallLog["Service"],
  { prices, upstreams }: OverviewParts
): Handlers<typeof overview> => ({
  overview: Effect.fnUntraced(function* () {
    const now = yield* Clock.currentTimeMillis
    const states = upstreams === undefined ? [] : health(upstreams(), now)
    return { ...(yield* usage.overview), upstreams: states.map(({ breaker, name }) => ({ name, breaker })) }
  }),
  search: Effect.fnUntraced(function* ({ query }) {
    const text = query.q.trim()
    if (text === "") return { found: [] }
    const { accounts, calls, grants, keys } = yield* log.search(text)
    const found: ReadonlyArray<Found> = [
      ...calls.map((call): Found => ({ kind: "call", ...call, path: `/accounts/${call.account}/calls/${call.id}` })),
      ...accounts.map((account): Found => ({ kind: "account", ...account, path: `/accounts/${account.id}` })),
      ...keys.map((key): Found => ({ kind: "key", ...key, path: `/keys/${key.id}` })),
      ...grants.map((grant): Found => ({ kind: "grant", ...grant, path: "/grants" })),
      ...(prices === undefined ? [] : described(prices.gateway(), text))
    ]
    return { found }
  })
})
