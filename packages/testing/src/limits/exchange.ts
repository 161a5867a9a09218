import * as Catalogue from "@tollgate/contract/Catalogue"
import { zero } from "@tollgate/contract/Money"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { one } from "@tollgate/contract/price/Price"
import { type Allowance, allowances } from "@tollgate/contract/Tier"
import type { Authenticated, Priced } from "@tollgate/gateway/exchange/Exchange"
import * as Router from "@tollgate/gateway/call/router/Router"
import { accept } from "@tollgate/gateway/call/steps/01-accept"
import * as Effect from "effect/Effect"

type Principal = NonNullable<Authenticated["principal"]>

const { bound } = Catalogue.make(operations, defaults, {
  "deep_research.search": { path: "/v1/deep-research" },
  "images.generate": { path: "/v1/images/generations" }
})
const router = Router.make(bound)

export const principal = (allowance: Allowance = allowances.Free, key = "key_1"): Principal => ({
  account: "acc_1",
  key,
  allowance,
  multiplier: one
})

const paths = {
  rerank: "/v1/rerank",
  image: "/v1/images/generations",
  deep: "/v1/deep-research",
  chat: "/v1/chat/completions"
} as const

export interface Asked {
  readonly at?: keyof typeof paths
  readonly by?: Principal | undefined
  readonly tokens?: number
  readonly quote?: boolean
}

let requests = 0

/** The name `max_tokens` is ten bytes long and counts as three tokens. */
const bodyOf = (tokens: number) => (tokens < 3 ? {} : { max_tokens: tokens - 3 })

export const exchange = ({ at = "rerank", tokens = 0, quote = false, ...asked }: Asked = {}): Priced => {
  const request = { method: "POST", url: paths[at], headers: {}, readBody: () => Effect.die("unused") }
  const accepted = accept(router, request, `req_${++requests}`, 0)
  const match = accepted.match!
  const operation = match.operations.get("POST")!
  return {
    ...accepted,
    match,
    operation,
    wantsQuote: quote,
    principal: "by" in asked ? asked.by : principal(),
    input: { path: {}, query: {}, body: bodyOf(tokens) },
    model: undefined,
    bytes: new Uint8Array(0),
    price: operation.price,
    estimate: { likely: zero, most: zero }
  }
}
