import { fill } from "@tollgate/contract/Names"
import { trafficEngagement as operation } from "@tollgate/contract/operations/trafficEngagement"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { InvalidInput, type Handler, refusedWith } from "../BilledAnswer.ts"
import { seededRandom } from "../SeededRandom.ts"
import * as Query from "./query.ts"

const domains = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/

const months = 6

/** The months before the current one, oldest first. */
const monthsBefore = (now: number): ReadonlyArray<string> => {
  const today = new Date(now)
  return Array.from({ length: months }, (_, at) =>
    new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - months + at, 1)).toISOString().slice(0, 7)
  )
}

const engagement = (domain: string, month: string) => {
  const usual = 10 ** seededRandom("traffic", domain).between(3, 7.5)
  const from = seededRandom("traffic", domain, month)
  const visits = Math.round(usual * from.between(0.8, 1.25))
  return {
    month,
    visits,
    unique_visitors: Math.round(visits * from.between(0.4, 0.8)),
    bounce_rate: Number(from.between(0.25, 0.7).toFixed(4)),
    pages_per_visit: Number(from.between(1.5, 8).toFixed(2)),
    average_visit_duration_seconds: from.int(40, 600)
  }
}

/** The sandbox names `domain` and the answer's fields itself. `compatibility=legacy` gets a provider's 409. */
export const traffic: Handler = Effect.fnUntraced(function* (request, { names }) {
  const query = yield* Query.of(request)
  if (query.get("compatibility") === "legacy") {
    return yield* refusedWith(409, "compatibility", "this compatibility mode is not supported")
  }
  const domain = (Query.optional(query, "domain") ?? "example.com").toLowerCase()
  if (!domains.test(domain)) return yield* new InvalidInput({ message: "domain is not a domain name", param: "domain" })
  const now = yield* Clock.currentTimeMillis
  return {
    operation: fill(operation.id, names),
    body: { domain, granularity: "monthly", traffic: monthsBefore(now).map((month) => engagement(domain, month)) },
    billed: { requests: 1 }
  }
})
