import type * as Api from "@tollgate/contract/Api"
import type * as Contract from "@tollgate/contract/admin/Operator"
import { mayUse } from "@tollgate/contract/admin/Operator"
import { refuse } from "@tollgate/contract/errors/Refused"
import { micro } from "@tollgate/contract/Money"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { BaseUrl } from "../../exchange/BaseUrl.ts"
import { both, type Operator, type Operators, type Token } from "../../identity/operator/Operators.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { time, timeOrNull } from "../managementApi/shapes.ts"
import type { AdminRequest, Asking, OperatorPolicy } from "./AdminRequest.ts"

export const CurrentOperatorPolicy = Context.Reference<OperatorPolicy>("@tollgate/gateway/OperatorPolicy", {
  defaultValue: () => ({ refundLimit: micro(10_000_000n) })
})

const shown = ({ createdAt, issuer, seenAt, ...of }: Operator): Contract.Operator => ({
  ...of,
  provider: issuer,
  created_at: time(createdAt),
  last_seen_at: timeOrNull(seenAt)
})

const shownToken = ({ createdAt, endsAt, usedAt, ...of }: Token): Contract.OperatorToken => ({
  ...of,
  created_at: time(createdAt),
  ends_at: time(endsAt),
  last_used_at: timeOrNull(usedAt)
})

const noName = refuse(
  "access_denied",
  "The shared token belongs to nobody, so it has no tokens of its own. Sign in as an operator."
)

const noSession = refuse("access_denied", "A token makes no tokens, and ends only itself. Sign in to do this.")

const tooMuch = (own: string, wanted: string) =>
  refuse("access_denied", `A token cannot do more than you: you are ${own}, not ${wanted}.`, { param: "role" })

/** The page of the operator reads what is behind the `#`, which browsers do not send. */
const linkAt = (base: string, secret: string): string => `${base}/operator#link=${secret}`

/** What one refund of this person may give back. */
export const refundLimitOf = ({ role }: Asking, { refundLimit }: OperatorPolicy) =>
  role === "support" ? refundLimit : undefined

export const operatorHandlers = Effect.fnUntraced(function* (
  operators: Operators["Service"],
  groups: Api.Api["groups"]
) {
  const policy = yield* CurrentOperatorPolicy
  const base = yield* BaseUrl
  const routes = Object.values(groups).flatMap((group) => Object.entries(group))
  const forOperators: Handlers<typeof Contract.operators, AdminRequest> = {
    me: (_, { by }) =>
      Effect.sync(() => {
        const limit = refundLimitOf(by, policy)
        return {
          id: by.id,
          name: by.name,
          role: by.role,
          may: routes.flatMap(([name, route]) => (mayUse(route, by.role) ? [name] : [])),
          refund_limit_micros_usd: limit === undefined ? null : Number(limit)
        }
      }),
    operators: () => Effect.map(operators.list, (all) => ({ operators: all.map(shown) })),
    createOperator: ({ body }) => Effect.map(operators.create(body), shown),
    changeOperator: ({ body, id }) => Effect.map(operators.change(id, body), shown),
    endOperator: ({ id }) => Effect.map(operators.end(id), shown),
    linkOperator: ({ id }) =>
      Effect.map(operators.link(id), ({ endsAt, secret }) => ({
        url: linkAt(base, Redacted.value(secret)),
        expires_at: time(endsAt)
      }))
  }
  const forTokens: Handlers<typeof Contract.tokens, AdminRequest> = {
    operatorTokens: () => Effect.map(operators.tokens, (all) => ({ tokens: all.map(shownToken) })),
    createOperatorToken: Effect.fnUntraced(function* ({ body: { days = 90, label, role } }, { by }) {
      if (by.id === null) return yield* noName
      if (!by.isSession) return yield* noSession
      const wanted = role ?? by.role
      if (both(wanted, by.role) !== wanted) return yield* tooMuch(by.role, wanted)
      const made = yield* operators.createToken(by, { label, days, role: wanted })
      return { ...shownToken(made.token), token: Redacted.value(made.secret) }
    }),
    endOperatorToken: Effect.fnUntraced(function* ({ id }, { by }) {
      if (by.role === "owner") return shownToken(yield* operators.endToken(id))
      if (by.id === null || (!by.isSession && by.token !== id)) return yield* noSession
      return shownToken(yield* operators.endToken(id, by.id))
    })
  }
  return { operators: forOperators, tokens: forTokens }
})
