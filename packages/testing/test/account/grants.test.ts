import { expect, layer } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import { key } from "@tollgate/testing"
import { call } from "@tollgate/testing/oauth/call"
import { TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

type Fields = Readonly<Record<string, unknown>>

/** Asks the account API over a real socket. */
const asking = (baseUrl: string) => {
  const ask = async (method: string, path: string, credential: string, body?: string) => {
    const answer = await fetch(`${baseUrl}/account/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${credential}` },
      ...(body === undefined ? {} : { body })
    })
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Fields }
  }
  return {
    get: (path: string, credential: string) => ask("GET", path, credential),
    post: (path: string, credential: string) => ask("POST", path, credential, "{}"),
    change: (id: unknown, credential: string, terms: object) =>
      ask("PATCH", `/grants/${String(id)}`, credential, JSON.stringify(terms)),
    grants: async (credential: string) =>
      (await ask("GET", "/grants", credential)).body.grants as ReadonlyArray<Fields>,
    signIn: async (scope: string, resource?: string) => {
      const client = await TestClient.register(baseUrl)
      const { access_token } = await client.signIn({ scope, ...(resource === undefined ? {} : { resource }) })
      return access_token
    }
  }
}

const readable = ["", "/tasks", "/link"]

layer(OAuthGateway.layer(), { excludeTestServices: true, timeout: "30 seconds" })("an access token", (it) => {
  it.effect("with the scope usage sees the whole account; one without it sees only what can be called", () =>
    Effect.gen(function* () {
      const { account, baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const { get, post, signIn } = asking(baseUrl)
        const usage = await signIn("usage")
        for (const path of readable) expect((await get(path, usage)).status, path).toBe(200)
        expect((await get("", usage)).body).toMatchObject({
          credential: { kind: "grant", label: "A test", scope: "account", scopes: ["usage"] },
          account: { id: account },
          grants: true
        })
        const use = await signIn("use")
        for (const path of readable) {
          const refused = await get(path, use)
          expect([refused.status, (refused.body.error as Fields).code], path).toEqual([403, "insufficient_scope"])
          expect(refused.headers.get("www-authenticate")).toContain(`error="insufficient_scope", scope="usage"`)
        }
        expect((await get("/operations", use)).status).toBe(200)
        expect((await post("/link/remove", usage)).status).toBe(403)
      })
    })
  )

  it.effect("for the tools alone is not good here", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const { get, signIn } = asking(baseUrl)
        expect((await get("", await signIn("use usage", `${baseUrl}/mcp`))).status).toBe(401)
      })
    })
  )

  it.effect("sees and takes back grants only with the scope grants, which nobody has without asking for it", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const { get, grants, post, signIn } = asking(baseUrl)
        const [reader, manager] = [await signIn("use usage"), await signIn("grants")]
        const victim = await signIn("use")
        const [{ id } = {}] = (await grants(manager)).filter(({ scopes }) => String(scopes as unknown) === "use")
        for (const refused of [await get("/grants", reader), await post(`/grants/${String(id)}/revoke`, reader)]) {
          expect([refused.status, (refused.body.error as Fields).code]).toEqual([403, "insufficient_scope"])
        }
        expect((await call(baseUrl, victim)).status).toBe(200)
        const revoked = await post(`/grants/${String(id)}/revoke`, manager)
        expect(revoked.status).toBe(200)
        expect(revoked.body).toMatchObject({ id, client_name: "A test", ended: true, own: false, scopes: ["use"] })
        expect((await call(baseUrl, victim)).status).toBe(401)
        expect((await get("", manager)).status).toBe(403)
        const tools = await fetch(`${baseUrl}/.well-known/oauth-protected-resource/mcp`)
        expect(await tools.json()).toMatchObject({ scopes_supported: ["use", "usage"] })
      })
    })
  )

  it.effect("gives itself up whatever its scopes are, and does not work any more", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const { get, post, signIn } = asking(baseUrl)
        const token = await signIn("usage")
        const { credential } = (await get("", token)).body as { readonly credential: Fields }
        const revoked = await post(`/grants/${String(credential.id)}/revoke`, token)
        expect([revoked.status, revoked.body.ended, revoked.body.own]).toEqual([200, true, true])
        expect((await get("", token)).status).toBe(401)
      })
    })
  )
})

layer(OAuthGateway.layer(), { excludeTestServices: true, timeout: "30 seconds" })("a key", (it) => {
  it.effect("lists its account's grants and takes them back at once, as often as it likes", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const { grants, post, signIn } = asking(baseUrl)
        const token = await signIn("use usage")
        expect((await call(baseUrl, token)).status).toBe(200)
        const [grant] = await grants(key)
        expect(grant).toEqual({
          id: expect.stringMatching(/^gr_/) as unknown,
          client_id: expect.any(String) as unknown,
          client_name: "A test",
          machine: false,
          returns_to: "127.0.0.1:9",
          scopes: ["use", "usage"],
          created_at: expect.stringMatching(/Z$/) as unknown,
          ends_at: expect.stringMatching(/Z$/) as unknown,
          last_used_at: expect.stringMatching(/T00:00:00.000Z$/) as unknown,
          ended: false,
          own: false,
          spent_micros_usd: expect.any(Number) as unknown,
          spent_today_micros_usd: grant?.spent_micros_usd,
          limit_micros_usd: 5_000_000,
          day_limit_micros_usd: null,
          ask_above_micros_usd: null,
          allowed: null
        })
        for (let i = 0; i < 2; i++) {
          const revoked = await post(`/grants/${String(grant?.id)}/revoke`, key)
          expect([revoked.status, revoked.body.ended]).toEqual([200, true])
        }
        expect((await call(baseUrl, token)).status).toBe(401)
      })
    })
  )

  it.effect("changes what a program may do, at once, and sees what all of them spent", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const { change, get, grants, signIn } = asking(baseUrl)
        const token = await signIn("use usage")
        expect((await call(baseUrl, token)).status).toBe(200)
        const [grant] = await grants(key)
        const ends_at = new Date(Date.now() + 3_600_000).toISOString()
        const terms = {
          limit_micros_usd: 9_000_000,
          day_limit_micros_usd: 2_000_000,
          ask_above_micros_usd: 500_000,
          allowed: { categories: ["social"], operations: ["embeddings"] },
          ends_at
        }
        const changed = await change(grant?.id, key, terms)
        expect([changed.status, changed.body]).toMatchObject([200, terms])
        expect((await call(baseUrl, token)).status).toBe(403)
        // What is left out stays.
        expect((await change(grant?.id, key, { allowed: null, ask_above_micros_usd: null })).body).toMatchObject({
          ...terms,
          allowed: null,
          ask_above_micros_usd: null
        })
        expect((await call(baseUrl, token)).status).toBe(200)
        expect((await change(grant?.id, key, { limit_micros_usd: 0 })).status).toBe(200)
        expect((await call(baseUrl, token)).status).toBe(402)
        const { body } = await get("/grants", key)
        const all = await grants(key)
        for (const name of ["spent_micros_usd", "spent_today_micros_usd"]) {
          expect(body[name]).toBe(all.reduce((sum, one) => sum + Number(one[name]), 0))
          expect(body[name]).toBeGreaterThan(0)
        }
      })
    })
  )

  it.effect("is refused terms that nobody can choose, and nothing changes", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const { change, grants, signIn } = asking(baseUrl)
        await signIn("use")
        const [grant] = await grants(key)
        for (const terms of [
          { limit_micros_usd: -1 },
          { limit_micros_usd: 0.5 },
          { limit_micros_usd: "5" },
          { day_limit_micros_usd: 1e16 },
          { ask_above_micros_usd: -1 },
          { allowed: "all" },
          { allowed: { categories: ["everything"], operations: [] } },
          { allowed: { categories: [], operations: ["no.such"] } },
          { ends_at: "tomorrow" },
          { ends_at: "2020-01-01T00:00:00Z" },
          { ends_at: "2026-99-99T00:00:00Z" },
          { ends_at: "2999-01-01T00:00:00Z" },
          { scopes: ["grants"] },
          { account: "acct_1" }
        ]) {
          expect((await change(grant?.id, key, terms)).status, JSON.stringify(terms)).toBe(400)
        }
        expect((await grants(key))[0]).toEqual(grant)
      })
    })
  )

  it.effect("of an app changes no grant, not even with the scope to see and revoke all", () =>
    Effect.gen(function* () {
      const { accounts, baseUrl } = yield* OAuthGateway
      const { id } = yield* accounts.create("other")
      const other = Redacted.value((yield* accounts.createKey(id, {})).value)
      yield* Effect.promise(async () => {
        const { change, grants, signIn } = asking(baseUrl)
        const plain = await signIn("use usage")
        const [target] = await grants(key)
        const manager = await signIn("use grants")
        const own = (await grants(manager)).find((grant) => grant.own === true)
        const more = { limit_micros_usd: 100_000_000 }
        const codeOf = async (id: unknown, credential: string) =>
          ((await change(id, credential, more)).body.error as Fields).code
        expect(await codeOf(target?.id, plain)).toBe("insufficient_scope")
        expect(await codeOf(own?.id, plain)).toBe("insufficient_scope")
        expect(await codeOf(own?.id, manager)).toBe("access_denied")
        expect(await codeOf(target?.id, other)).toBe("not_found")
        expect(await codeOf(target?.id, manager)).toBe("access_denied")
        expect((await grants(key)).map((grant) => grant.limit_micros_usd)).not.toContain(100_000_000)
        expect((await change(target?.id, key, { limit_micros_usd: 1 })).status).toBe(200)
      })
    })
  )

  it.effect("of the gateway's own console changes the grants of others: a person uses it", () =>
    Effect.gen(function* () {
      const { baseUrl, sql } = yield* OAuthGateway
      const { change, grants, signIn } = asking(baseUrl)
      const [, target] = yield* Effect.promise(async () => [await signIn("use"), (await grants(key))[0]] as const)
      const token = yield* Effect.promise(() => signIn("grants"))
      const more = { limit_micros_usd: 7_000_000 }
      expect((yield* Effect.promise(() => change(target?.id, token, more))).status).toBe(403)
      const [own] = (yield* Effect.promise(() => grants(token))).filter((grant) => grant.own === true)
      yield* sql`UPDATE grants SET client_id = 'console' WHERE id = ${String(own?.id)}`
      expect((yield* Effect.promise(() => change(target?.id, token, more))).body).toMatchObject(more)
      expect((yield* Effect.promise(() => change(own?.id, token, more))).status).toBe(403)
    })
  )

  it.effect("of another account sees none of them, and finds none to take back", () =>
    Effect.gen(function* () {
      const { accounts, baseUrl } = yield* OAuthGateway
      const { id } = yield* accounts.create("other")
      const other = Redacted.value((yield* accounts.createKey(id, {})).value)
      yield* Effect.promise(async () => {
        const { grants, post, signIn } = asking(baseUrl)
        const token = await signIn("use")
        const [grant] = await grants(key)
        expect(await grants(other)).toEqual([])
        for (const id of [String(grant?.id), "gr_0", "%20", "x".repeat(5_000)]) {
          const refused = await post(`/grants/${id}/revoke`, other)
          expect([refused.status, (refused.body.error as Fields).code], id).toEqual([404, "not_found"])
        }
        expect((await call(baseUrl, token)).status).toBe(200)
      })
    })
  )

  it.effect("with a budget or a quota sees none of them: it does not speak for the account", () =>
    Effect.gen(function* () {
      const { account, accounts, baseUrl } = yield* OAuthGateway
      const dayBudget = micro(1_000_000n)
      for (const terms of [{ budget: micro(1_000_000n) }, { dayBudget }]) {
        const limited = Redacted.value((yield* accounts.createKey(account, terms)).value)
        yield* Effect.promise(async () => {
          const { get, post } = asking(baseUrl)
          for (const refused of [await get("/grants", limited), await post("/grants/gr_0/revoke", limited)]) {
            expect([refused.status, (refused.body.error as Fields).code]).toEqual([403, "access_denied"])
          }
        })
      }
    })
  )
})
