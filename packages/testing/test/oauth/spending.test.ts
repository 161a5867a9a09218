import { expect, it } from "@effect/vitest"
import { Audit } from "@tollgate/gateway"
import { call } from "@tollgate/testing/oauth/call"
import { TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { callTool } from "@tollgate/testing/tools/agent"
import { httpUpstream } from "@tollgate/testing/upstream"
import { providerAt } from "@tollgate/testing/hostile/Served"
import { micro } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"

const ranking = JSON.stringify({ results: [{ index: 0, relevance_score: 1 }], usage: { total_tokens: 200 } })

it.live("100 calls at once with a token whose grant can pay for one: one is executed and charged", () =>
  Effect.gen(function* () {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const { port, received } = yield* httpUpstream((res) => {
      void released.then(() => res.writeHead(200, { "content-type": "application/json" }).end(ranking))
    })
    yield* Effect.gen(function* () {
      const { account, baseUrl, grants, sql } = yield* OAuthGateway
      const client = yield* Effect.promise(() => TestClient.register(baseUrl))
      const statuses = yield* Effect.promise(async () => {
        const { access_token } = await client.signIn({ limit: "0.0001" })
        let refused = 0
        const one = async () => {
          const { status } = await call(baseUrl, access_token)
          // The call that is executed holds its reservation until all others are decided.
          if (status !== 200 && ++refused === 99) release()
          return status
        }
        return Promise.all(Array.from({ length: 100 }, one))
      })
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      expect(statuses.filter((status) => status === 402 || status === 429)).toHaveLength(99)
      expect(received).toHaveLength(1)
      const [grant] = yield* grants.list(account)
      expect(grant?.limit).toBe(100n)
      expect(grant?.spent).toBeGreaterThan(0n)
      expect(grant?.spent).toBeLessThanOrEqual(100n)
      expect((yield* Effect.provideService(Audit.run, SqlClient, sql)).differences).toEqual([])
    }).pipe(Effect.provide(OAuthGateway.layer({ providers: { rerank: providerAt(port, { protocol: "json" }) } })))
  }).pipe(Effect.scoped)
)

it.live("a grant without a limit spends up to the balance, and what one spends the others do not have", () =>
  Effect.gen(function* () {
    const { account, accounts, baseUrl, grants } = yield* OAuthGateway
    yield* Effect.promise(async () => {
      const client = await TestClient.register(baseUrl)
      const free = await client.signIn({ limit: null })
      const small = await (await TestClient.register(baseUrl)).signIn({ limit: "0.00001" })
      expect((await call(baseUrl, free.access_token)).status).toBe(200)
      const refused = await call(baseUrl, small.access_token)
      expect(refused.status).toBe(402)
      expect(JSON.parse(refused.text)).toMatchObject({
        error: {
          code: "over_budget",
          message: expect.stringMatching(
            /; 0\.00001 USD of the limit that was given to this app are left\. Connect it again to give it more; the operator can raise it too\.$/
          )
        }
      })
    })
    const before = (yield* accounts.get(account)).balance
    yield* accounts.adjust(account, -before, "all of it")
    const [, free] = yield* grants.list(account)
    expect(free).toMatchObject({ limit: null })
    const { access_token } = yield* Effect.promise(async () =>
      (await TestClient.register(baseUrl)).signIn({ limit: null })
    )
    expect((yield* Effect.promise(() => call(baseUrl, access_token))).status).toBe(402)
  }).pipe(Effect.provide(OAuthGateway.layer()))
)

it.live("a tool says what is left of the limit of its grant that is reached first", () =>
  Effect.gen(function* () {
    const { account, baseUrl, grants } = yield* OAuthGateway
    const leftOf = Effect.fnUntraced(function* (dayLimit: bigint | null) {
      const client = yield* Effect.promise(() => TestClient.register(baseUrl))
      const { access_token } = yield* Effect.promise(() => client.signIn({ limit: "0.5" }))
      const id = (yield* grants.list(account)).find((grant) => grant.client.id === client.client.client_id)?.id ?? ""
      yield* grants.change(id, { dayLimit: dayLimit === null ? null : micro(dayLimit) })
      const rerank = {
        operation_id: "rerank",
        arguments: { query: "q", documents: ["river mountain ".repeat(500)] },
        max_price_usd: 0.1
      }
      const { content } = yield* callTool("use", rerank, { authorization: `Bearer ${access_token}` })
      const { cost, left } = content as {
        readonly cost: { readonly micros_usd: number }
        readonly left: { readonly usd: string; readonly of: string }
      }
      return { of: left.of, micros: Math.round(Number(left.usd) * 1e6) + cost.micros_usd }
    })
    expect(yield* leftOf(null)).toEqual({ of: "grant", micros: 500_000 })
    expect(yield* leftOf(200_000n)).toEqual({ of: "grant_this_day", micros: 200_000 })
    expect(yield* leftOf(900_000n)).toEqual({ of: "grant", micros: 500_000 })
  }).pipe(Effect.provide(Layer.provideMerge(OAuthGateway.served, OAuthGateway.layer())))
)
