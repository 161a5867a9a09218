import { expect, layer } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { call, usage } from "@tollgate/testing/oauth/call"
import { TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import * as Effect from "effect/Effect"

const codeOf = (text: string): unknown =>
  (JSON.parse(text) as { readonly error: { readonly code: unknown } }).error.code

/** A client with access, and its grant. */
const connected = Effect.gen(function* () {
  const gateway = yield* OAuthGateway
  const client = yield* Effect.promise(() => TestClient.register(gateway.baseUrl))
  const tokens = yield* Effect.promise(() => client.signIn())
  const [grant] = yield* gateway.grants.list(gateway.account)
  const id = grant?.id ?? ""
  return {
    ...gateway,
    client,
    tokens,
    id,
    call: Effect.promise(() => call(gateway.baseUrl, tokens.access_token)),
    given: Effect.map(gateway.grants.list(gateway.account), (all) => all.filter((one) => one.id === id)[0])
  }
})

const gateway = OAuthGateway.layer({ server: { hasConsole: true } })

layer(gateway, { excludeTestServices: true, timeout: "30 seconds" })("a grant", (it) => {
  it.effect("is in the trail as given by the account, with address and request", () =>
    Effect.gen(function* () {
      const { account, id, sql } = yield* connected
      const found =
        yield* sql`SELECT who, address, request FROM trail WHERE subject = ${id} AND action = 'app connected'`
      expect(found).toEqual([
        {
          who: `console of ${account}`,
          address: expect.stringContaining("127.0.0.1"),
          request: expect.stringMatching(/^req_/)
        }
      ])
    })
  )

  it.effect("lets its client call the operations that were chosen, and no others", () =>
    Effect.gen(function* () {
      const { baseUrl, call, grants, id, tokens } = yield* connected
      expect((yield* call).status).toBe(200)
      yield* grants.change(id, { allowed: { categories: ["models"], operations: ["tweet_search"] } })
      const refused = yield* call
      expect([refused.status, codeOf(refused.text)]).toEqual([403, "operation_not_allowed"])
      expect(refused.text).toContain(`did not allow rerank (category rerank)`)
      expect(refused.text).toContain(`${baseUrl}/grants.`)
      // Usage has a scope of its own.
      expect((yield* Effect.promise(() => usage(baseUrl, tokens.access_token))).status).toBe(200)
      for (const allowed of [
        { categories: ["rerank"], operations: [] },
        { categories: [], operations: ["rerank"] },
        null
      ]) {
        yield* grants.change(id, { allowed })
        expect((yield* call).status).toBe(200)
      }
      yield* grants.change(id, { allowed: { categories: [], operations: [] } })
      expect((yield* call).status).toBe(403)
      // What is left and what things cost everybody may know.
      for (const path of ["/v1/balance", "/v1/prices"]) {
        const headers = { authorization: `Bearer ${tokens.access_token}` }
        expect((yield* Effect.promise(() => fetch(`${baseUrl}${path}`, { headers }))).status).toBe(200)
      }
    })
  )

  it.effect("pays up to its limit of a day, whatever is left in total", () =>
    Effect.gen(function* () {
      const { call, given, grants, id } = yield* connected
      expect((yield* call).status).toBe(200)
      const { spent = micro(0n), spentToday } = (yield* given) ?? {}
      expect(spent).toBeGreaterThan(0n)
      expect(spentToday).toBe(spent)
      yield* grants.change(id, { dayLimit: spent })
      const refused = yield* call
      expect([refused.status, codeOf(refused.text)]).toEqual([429, "quota_exceeded"])
      expect(refused.text).toMatch(/The daily budget of 0\.\d+ USD that was given to this app is used up/)
      yield* grants.change(id, { dayLimit: micro(1_000_000n) })
      expect((yield* call).status).toBe(200)
      yield* grants.change(id, { dayLimit: null, limit: spent })
      const over = yield* call
      expect([over.status, codeOf(over.text)]).toEqual([402, "over_budget"])
    })
  )

  it.effect("refuses a call above the amount for which approval is needed, and caps the others at it", () =>
    Effect.gen(function* () {
      const { account, baseUrl, call, grants, id, sql, tokens } = yield* connected
      yield* grants.change(id, { askAbove: micro(1n) })
      const refused = yield* call
      expect([refused.status, codeOf(refused.text)]).toEqual([403, "approval_required"])
      expect(refused.text).toContain("needs approval for each call above 0.000001 USD")
      expect((yield* sql`SELECT id FROM calls WHERE owner <> '' AND key = ${id}`).length).toBe(0)
      const body = JSON.stringify({ query: "river", documents: ["river mountain sea shore ".repeat(50)] })
      const capped = (cap: string) =>
        Effect.promise(() =>
          fetch(`${baseUrl}/v1/rerank`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${tokens.access_token}`,
              "content-type": "application/json",
              "x-tollgate-max-price-usd": cap
            },
            body
          })
        )
      expect((yield* capped("1")).status).toBe(403)
      const nested = yield* Effect.promise(() =>
        fetch(`${baseUrl}/v1/rerank`, {
          method: "POST",
          headers: { authorization: `Bearer ${tokens.access_token}`, "content-type": "application/json" },
          body: body.replace("{", `{"x":${"[".repeat(20_000)}${"]".repeat(20_000)},`)
        })
      )
      expect(nested.status).toBe(403)
      expect((yield* capped("0.000001")).status).toBe(402)
      yield* grants.change(id, { askAbove: micro(50_000n) })
      expect((yield* call).status).toBe(200)
      expect((yield* capped("1")).status).toBe(200)
      expect((yield* capped("0.04")).status).toBe(200)
      const caps = yield* sql`SELECT cap FROM calls WHERE account = ${account} AND key = ${id} ORDER BY created_at, id`
      expect(caps.map(({ cap }) => Number(cap)).toSorted((a, b) => a - b)).toEqual([40_000, 50_000, 50_000])
    })
  )

  it.effect("ends when its end is set to now, and cannot be changed after it", () =>
    Effect.gen(function* () {
      const { call, client, grants, id, tokens } = yield* connected
      yield* grants.change(id, { endsAt: Date.now() + 3_600_000 })
      expect((yield* call).status).toBe(200)
      yield* grants.change(id, { endsAt: Date.now() - 1 })
      expect((yield* call).status).toBe(401)
      yield* Effect.promise(() =>
        expect(client.refresh(tokens.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" })
      )
      expect(yield* Effect.flip(grants.change(id, { limit: null }))).toMatchObject({ reason: "conflict" })
      expect(yield* Effect.flip(grants.change("gr_none", { limit: null }))).toMatchObject({ reason: "missing" })
    })
  )

  it.effect("is one for all devices of its client, each of which signs out for itself", () =>
    Effect.gen(function* () {
      const { account, baseUrl, client, grants, id, tokens } = yield* connected
      const other = yield* Effect.promise(() => client.signIn({ limit: "7" }))
      const own = (yield* grants.list(account)).filter((grant) => grant.client.id === client.client.client_id)
      expect(own).toMatchObject([{ id, limit: 7_000_000n, returnsTo: "127.0.0.1:9", ended: false }])
      const statusOf = (token: string) => Effect.promise(async () => (await call(baseUrl, token)).status)
      expect([yield* statusOf(tokens.access_token), yield* statusOf(other.access_token)]).toEqual([200, 200])

      yield* Effect.promise(() => client.revoke(tokens.refresh_token ?? ""))
      expect([yield* statusOf(tokens.access_token), yield* statusOf(other.access_token)]).toEqual([401, 200])
      const next = yield* Effect.promise(() => client.refresh(other.refresh_token ?? ""))
      expect(yield* statusOf(next.access_token)).toBe(200)
      yield* Effect.promise(() => client.revoke(next.refresh_token ?? ""))
      expect(yield* statusOf(next.access_token)).toBe(401)
      expect((yield* grants.list(account)).filter((grant) => grant.id === id)).toMatchObject([{ ended: true }])
    })
  )

  it.effect("keeps its terms if another device asks for nothing that costs, and has the scopes of both", () =>
    Effect.gen(function* () {
      const { account, client, grants, id } = yield* connected
      yield* grants.change(id, { dayLimit: micro(2_000_000n) })
      yield* Effect.promise(() => client.signIn({ scope: "usage grants" }))
      expect((yield* grants.list(account)).filter((grant) => grant.id === id)).toMatchObject([
        { limit: 5_000_000n, dayLimit: 2_000_000n, scopes: ["use", "usage", "grants"] }
      ])
    })
  )

  it.effect("is one if it is given many times at once", () =>
    Effect.gen(function* () {
      const { account, grants } = yield* OAuthGateway
      const client = { id: "https://agent.example/client", name: "An agent" }
      const given = yield* Effect.all(
        Array.from({ length: 20 }, () => grants.give({ account, client, scopes: ["use"], limit: micro(1n) })),
        { concurrency: "unbounded" }
      )
      expect(new Set(given.map(({ id }) => id)).size).toBe(1)
      expect((yield* grants.list(account)).filter((grant) => grant.client.id === client.id)).toHaveLength(1)
    })
  )
})
