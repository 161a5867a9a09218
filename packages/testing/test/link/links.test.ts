import { describe, expect, it } from "@effect/vitest"
import { defaultScopes } from "@tollgate/contract/operations/linkStart"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { createHash } from "node:crypto"
import { ask } from "@tollgate/testing/ask"
import { alsoOnPostgres, onMigratedDatabase } from "@tollgate/testing/store/postgres"
import { bearer, layer, redirectUri, Tenants } from "@tollgate/testing/link/app"
import {
  authPath,
  callback,
  openCallback,
  decide,
  dump,
  follow,
  followPath,
  link,
  platform,
  sessions,
  start,
  tokens
} from "@tollgate/testing/link/platform"

describe("starting a link", () => {
  it.effect("returns the authorization URL and when it expires", () =>
    Effect.gen(function* () {
      const { one } = yield* Tenants
      const first = yield* start(one.key)
      expect([first.status, first.expires_at]).toEqual([200, "1970-01-01T00:10:00.000Z"])
      expect(first.url.origin + first.url.pathname).toBe("http://sandbox.invalid/platform/authorize")
      expect(Object.fromEntries(first.url.searchParams)).toEqual({
        response_type: "code",
        client_id: "tollgate test",
        redirect_uri: redirectUri,
        scope: defaultScopes.join(" "),
        state: first.state,
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: "S256"
      })
      const second = yield* start(one.key)
      expect(second.state).not.toBe(first.state)
      expect(second.url.searchParams.get("code_challenge")).not.toBe(first.url.searchParams.get("code_challenge"))
      // At least 128 bits.
      expect(Buffer.from(first.state, "base64url").length).toBeGreaterThanOrEqual(16)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("requests the caller's scopes, each once, and the platform's standing scopes", () =>
    Effect.gen(function* () {
      const { one } = yield* Tenants
      const { url } = yield* start(one.key, { scopes: ["users.read", "lists.read", "users.read"] })
      expect(url.searchParams.get("scope")).toBe("users.read lists.read offline.access")
      expect(url.href).toContain("/platform/authorize?tenant=1&response_type=code")
    }).pipe(
      Effect.provide(
        layer({
          platform: {
            authorizeUrl: "http://sandbox.invalid/platform/authorize?tenant=1",
            furtherScopes: ["lists.read"],
            standingScopes: ["offline.access"]
          }
        })
      )
    )
  )

  it.effect("refuses unknown scopes and invalid bodies", () =>
    Effect.gen(function* () {
      const { one, sql } = yield* Tenants
      const bodies = [
        { scopes: ["follows.write", "everything"] },
        { scopes: [] },
        { scopes: [""] },
        { scopes: ["follows.write tweet.read"] },
        { scopes: ["follows.write\r\nx: y"] },
        { scopes: ["__proto__"] },
        { scopes: "follows.write" },
        { scopes: [1] },
        { scopes: null },
        []
      ]
      for (const body of bodies) {
        const answer = yield* ask("POST", authPath, bearer(one.key), JSON.stringify(body))
        expect([body, answer.status, answer.json()]).toMatchObject([
          body,
          400,
          { error: { code: "invalid_request", message: expect.stringMatching(/scopes|object/) } }
        ])
      }
      expect((yield* ask("POST", authPath, {}, "{}")).status).toBe(401)
      expect(yield* sql`SELECT state FROM link_attempts`).toEqual([])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("keeps the 20 newest attempts of each key", () =>
    Effect.gen(function* () {
      const { one, sql, two } = yield* Tenants
      const other = yield* start(two.key)
      const started: Array<string> = []
      for (let i = 0; i < 25; i++) {
        yield* TestClock.adjust("1 second")
        started.push((yield* start(one.key)).state)
      }
      const kept = yield* sql`SELECT COUNT(*) AS n FROM link_attempts GROUP BY owner ORDER BY n`
      expect(kept).toEqual([{ n: 1 }, { n: 20 }])
      expect((yield* openCallback(started[4] ?? "")).status).toBe(400)
      expect((yield* openCallback(started[5] ?? "")).status).toBe(200)
      expect((yield* openCallback(started.at(-1) ?? "")).status).toBe(200)
      expect((yield* openCallback(other.state)).status).toBe(200)
      // Expired attempts are deleted at the next start.
      yield* TestClock.adjust("11 minutes")
      yield* start(two.key)
      expect(yield* sql`SELECT COUNT(*) AS n FROM link_attempts`).toEqual([{ n: 1 }])
    }).pipe(Effect.provide(layer({ outside: platform(() => Response.json(tokens(1))).http })))
  )

  it.live.runIf(alsoOnPostgres)("keeps 20 attempts of each key, also when 60 start at once on PostgreSQL", () =>
    Effect.gen(function* () {
      const { one, sql, two } = yield* Tenants
      yield* start(two.key)
      yield* Effect.forEach(Array.from({ length: 60 }), () => start(one.key), { concurrency: "unbounded" })
      const kept = yield* sql`SELECT CAST(COUNT(*) AS INTEGER) AS n FROM link_attempts GROUP BY owner ORDER BY n`
      expect(kept).toEqual([{ n: 1 }, { n: 20 }])
    }).pipe(Effect.provide(layer({ store: onMigratedDatabase() })))
  )
})

describe("a linked account", () => {
  it.effect("lets the key follow after the user has approved on the sandbox's platform", () =>
    Effect.gen(function* () {
      const { billingLog, one } = yield* Tenants
      expect((yield* follow(one.key)).status).toBe(403)
      const { url } = yield* start(one.key)
      const answer = yield* ask("GET", yield* decide(url, "approve"))
      expect([answer.status, answer.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"])
      expect(answer.text).toContain("You can close this window.")
      expect(answer.headers).toMatchObject({
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "content-security-policy": expect.stringContaining("default-src 'none'")
      })
      const followed = yield* follow(one.key)
      expect([followed.status, followed.json()]).toEqual([200, { data: { following: true, pending_follow: false } }])
      expect(yield* billingLog.entries).toMatchObject([{ operation: "social_a.follow" }])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is requested with the form OAuth prescribes, and the client secret if there is one", () => {
    const seen: Array<Readonly<Record<string, string>>> = []
    const { tokenRequests, http } = platform((_, headers) => (seen.push(headers), Response.json(tokens(1))))
    return Effect.gen(function* () {
      const { one } = yield* Tenants
      const { state, url } = yield* start(one.key)
      expect((yield* openCallback(state, "c&d=é".slice(0, 4))).status).toBe(200)
      const form = Object.fromEntries(tokenRequests[0] ?? [])
      expect(form).toEqual({
        grant_type: "authorization_code",
        code: "c&d=",
        code_verifier: expect.stringMatching(/^[\w-]{43}$/),
        redirect_uri: redirectUri,
        client_id: "tollgate test"
      })
      const challenge = createHash("sha256")
        .update(form["code_verifier"] ?? "")
        .digest("base64url")
      expect(url.searchParams.get("code_challenge")).toBe(challenge)
      expect(seen[0]).toMatchObject({
        "content-type": "application/x-www-form-urlencoded",
        authorization: `Basic ${Buffer.from("tollgate%20test:s%3Acret").toString("base64")}`
      })
    }).pipe(Effect.provide(layer({ outside: http, platform: { clientSecret: Redacted.make("s:cret") } })))
  })

  it.effect("does not allow a call whose scope was not granted, and nothing is sent", () => {
    const { upstreamTokens, http } = platform(() => Response.json(tokens(1, { scope: "tweet.read" })))
    return Effect.gen(function* () {
      const { one } = yield* Tenants
      yield* link(one.key)
      const answer = yield* follow(one.key)
      expect([answer.status, answer.json()]).toMatchObject([
        403,
        { error: { code: "missing_scope", message: expect.stringContaining("follows.write") } }
      ])
      expect(upstreamTokens).toEqual([])
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect("has the requested scopes if the platform does not say which it granted", () =>
    Effect.gen(function* () {
      const { one, two } = yield* Tenants
      yield* link(one.key, { scopes: ["tweet.read"] })
      yield* link(two.key)
      expect([(yield* follow(one.key)).status, (yield* follow(two.key)).status]).toEqual([403, 200])
    }).pipe(Effect.provide(layer({ outside: platform(() => Response.json(tokens(1, { scope: null }))).http })))
  )
})

describe("a session belongs to", () => {
  it.effect("the key that started the link, whichever credential the callback carries", () => {
    let count = 0
    const { upstreamTokens, http } = platform(() => Response.json(tokens(++count)))
    return Effect.gen(function* () {
      const { accounts, one, two } = yield* Tenants
      const started = yield* start(one.key)
      // A credential on the callback is ignored.
      expect((yield* ask("GET", `${callback}?code=c&state=${started.state}`, bearer(two.key))).status).toBe(200)
      expect(yield* sessions).toEqual([one.id])
      const sister = yield* accounts.createKey(one.account, {})
      expect([(yield* follow(two.key)).status, (yield* follow(Redacted.value(sister.value))).status]).toEqual([
        403, 403
      ])
      yield* link(two.key)
      yield* follow(one.key)
      yield* follow(two.key)
      expect(upstreamTokens).toEqual(["Bearer access-1", "Bearer access-2"])
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect("all keys of a rotation, and a new link by one of them replaces it", () => {
    let count = 0
    const { upstreamTokens, http } = platform(() => Response.json(tokens(++count)))
    return Effect.gen(function* () {
      const { accounts, one } = yield* Tenants
      yield* link(one.key)
      const second = yield* accounts.rotateKey(one.id, 3_600_000)
      const third = yield* accounts.rotateKey(second.id, 3_600_000)
      yield* follow(Redacted.value(second.value))
      yield* link(Redacted.value(third.value))
      yield* follow(one.key)
      expect(upstreamTokens).toEqual(["Bearer access-1", "Bearer access-2"])
      expect(yield* sessions).toEqual([one.id])
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect("the account, if the credential is not a key", () =>
    Effect.gen(function* () {
      const { links, one } = yield* Tenants
      const principal = { account: one.account, allowance: { rpm: 1, tpm: 1, concurrency: 1 }, multiplier: 1_000_000n }
      const { state } = yield* links.start(principal, undefined)
      yield* openCallback(state)
      expect(Redacted.value(yield* links.token(principal, "follows.write"))).toBe("access-1")
      expect((yield* follow(one.key)).status).toBe(403)
    }).pipe(Effect.provide(layer({ outside: platform(() => Response.json(tokens(1))).http })))
  )
})

describe("the callback", () => {
  it.effect("accepts a state once, also under concurrent requests", () => {
    let release = (): void => {}
    const held = new Promise<void>((done) => (release = done))
    const { tokenRequests, http } = platform(() =>
      Effect.as(
        Effect.promise(() => held),
        Response.json(tokens(1))
      )
    )
    return Effect.gen(function* () {
      const { one } = yield* Tenants
      const { state } = yield* start(one.key)
      const codes = ["v", "w", "x", "y", "z"]
      const all = yield* Effect.forkChild(
        Effect.all(
          codes.map((code) => openCallback(state, code)),
          { concurrency: 5 }
        )
      )
      yield* Effect.promise(() => new Promise((done) => setTimeout(done, 30)))
      release()
      const answers = yield* Fiber.join(all)
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
      expect((yield* openCallback(state)).status).toBe(400)
      expect(tokenRequests).toHaveLength(1)
      expect(yield* sessions).toEqual([one.id])
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect("accepts a state for ten minutes", () =>
    Effect.gen(function* () {
      const { one } = yield* Tenants
      const early = yield* start(one.key)
      const late = yield* start(one.key)
      yield* TestClock.adjust("599999 millis")
      expect((yield* openCallback(early.state)).status).toBe(200)
      yield* TestClock.adjust("1 millis")
      const answer = yield* openCallback(late.state)
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("has expired")])
    }).pipe(Effect.provide(layer({ outside: platform(() => Response.json(tokens(1))).http })))
  )

  it.effect("tells a user who declined that nothing was linked, and deletes the state", () =>
    Effect.gen(function* () {
      const { one } = yield* Tenants
      const { state, url } = yield* start(one.key)
      const answer = yield* ask("GET", yield* decide(url, "deny"))
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("Access was not granted")])
      expect((yield* openCallback(state)).status).toBe(400)
      expect(yield* sessions).toEqual([])
    }).pipe(Effect.provide(layer()))
  )

  const hostile = [
    "",
    "?",
    "?state",
    "?code=x",
    "?state=x",
    "?state=x&state=y&code=z",
    "?state=%00%0d%0a&code=%0d%0aset-cookie:a=b",
    "?state=' OR 1=1 --&code=x",
    `?state=${encodeURIComponent("'; DROP TABLE link_attempts; --")}&code=x`,
    `?state=${"a".repeat(43)}&code=x`,
    `?state=${"a".repeat(100_000)}&code=x`,
    "?state=__proto__&code=__proto__",
    "?state[]=x&code[]=y",
    `?error=access_denied&error_description=${encodeURIComponent("<script>alert('C4NARY')</script>")}`,
    `?state=${encodeURIComponent("<img src=x onerror=C4NARY>")}&code=C4NARY`,
    `?state=${encodeURIComponent("\u{1f512}\ud7ff")}&code=${encodeURIComponent("\u0000")}`
  ]

  it.effect.each(hostile)("with %s is refused, and the page repeats nothing from the query", (query) =>
    Effect.gen(function* () {
      const answer = yield* ask("GET", callback + query)
      // A parameter that comes twice, or under another spelling, is refused before anybody looks at it.
      const isMisspelt = /state=y|\[\]/.test(query)
      const type = isMisspelt ? "application/json" : "text/html; charset=utf-8"
      expect([answer.status, answer.headers["content-type"]]).toEqual([400, type])
      expect(answer.text).not.toMatch(/C4NARY|<script|<img/)
      expect(yield* sessions).toEqual([])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("does not send an invalid code to the platform", () => {
    const { tokenRequests, http } = platform(() => Response.json(tokens(1)))
    return Effect.gen(function* () {
      const { one } = yield* Tenants
      for (const code of ["", "a".repeat(4_097), "a\r\nb", "é", "\u0000"]) {
        const { state } = yield* start(one.key)
        expect((yield* openCallback(state, code)).status).toBe(400)
      }
      expect(tokenRequests).toEqual([])
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect("answers with a page if the store is not available, and leaves no partial session", () =>
    Effect.gen(function* () {
      const { one, sql } = yield* Tenants
      const { state } = yield* start(one.key)
      yield* sql`ALTER TABLE link_sessions RENAME TO gone`
      const answer = yield* openCallback(state)
      expect([answer.status, answer.headers["content-type"]]).toEqual([503, "text/html; charset=utf-8"])
      expect((yield* follow(one.key)).json()).toMatchObject({ error: { code: "billing_unavailable" } })
      yield* sql`ALTER TABLE gone RENAME TO link_sessions`
      expect((yield* follow(one.key)).status).toBe(403)
      yield* sql`DROP TABLE link_attempts`
      expect((yield* openCallback(state)).status).toBe(503)
      expect((yield* ask("POST", authPath, bearer(one.key), "{}")).status).toBe(503)
    }).pipe(Effect.provide(layer({ outside: platform(() => Response.json(tokens(1))).http })))
  )
})

describe("a token endpoint that returns", () => {
  const error = (status: number, code: string) => () => Response.json({ error: code }, { status })
  const json = (body: unknown) => () => Response.json(body)
  const cases: ReadonlyArray<readonly [string, number, () => Response]> = [
    ["a refused code", 400, error(400, "invalid_grant")],
    ["a refused client", 502, error(401, "invalid_client")],
    ["an unknown client with 400", 502, error(400, "invalid_client")],
    ["a refused client with 400", 502, error(400, "unauthorized_client")],
    ["500", 502, error(500, "invalid_grant")],
    ["503", 502, () => new Response("later", { status: 503 })],
    ["429", 502, () => new Response("slow down", { status: 429, headers: { "retry-after": "9" } })],
    ["a redirect", 502, () => new Response(null, { status: 302, headers: { location: "http://other.invalid/" } })],
    ["HTML", 502, () => new Response("<html>C4NARY</html>", { headers: { "content-type": "text/html" } })],
    ["an empty body", 502, () => new Response("")],
    ["a truncated body", 502, () => new Response(JSON.stringify(tokens(1)).slice(0, -10))],
    ["invalid UTF-8", 502, () => new Response(new Uint8Array([0xff, 0xfe, 0x00]))],
    ["null", 502, json(null)],
    ["an array", 502, json([tokens(1)])],
    ["no access token", 502, json({ refresh_token: "r" })],
    ["an empty access token", 502, json(tokens(1, { access_token: "" }))],
    ["an access token with a line break", 502, json(tokens(1, { access_token: "a\r\nx-evil: 1" }))],
    ["an access token that is a number", 502, json(tokens(1, { access_token: 1 }))],
    ["a huge access token", 502, json(tokens(1, { access_token: "a".repeat(8_193) }))],
    ["a refresh token with a line break", 502, json(tokens(1, { refresh_token: "a\nb" }))],
    ["a token of another type", 502, json(tokens(1, { token_type: "mac" }))],
    ["a negative lifetime", 502, json(tokens(1, { expires_in: -5 }))],
    ["an excessive lifetime", 502, json(tokens(1, { expires_in: 1e300 }))],
    ["a body over the size limit", 502, () => new Response(JSON.stringify(tokens(1)) + " ".repeat(70_000))]
  ]

  it.effect.each(cases)("%s creates no session: %s", ([, status, reply]) =>
    Effect.gen(function* () {
      const { one } = yield* Tenants
      const answer = yield* link(one.key)
      expect([answer.status, answer.headers["content-type"]]).toEqual([status, "text/html; charset=utf-8"])
      expect(answer.text).not.toContain("C4NARY")
      expect(yield* sessions).toEqual([])
    }).pipe(Effect.provide(layer({ outside: platform(reply).http })))
  )

  const endless = () => new ReadableStream({ pull: () => new Promise(() => {}) })
  it.effect.each([
    ["never", () => Effect.never],
    ["late, with a body that never ends", () => Effect.delay(Effect.succeed(new Response(endless())), "8 seconds")],
    ["with a body that never ends", () => new Response(endless())]
  ] as const)("%s is timed out after ten seconds", ([, reply]) => {
    const { tokenRequests, http } = platform(reply)
    return Effect.gen(function* () {
      const { one } = yield* Tenants
      const { state } = yield* start(one.key)
      const waiting = yield* Effect.forkChild(openCallback(state))
      // Waits in real time, because the request is signed before it is sent.
      while (tokenRequests.length === 0) yield* Effect.promise(() => new Promise((done) => setTimeout(done, 5)))
      yield* Effect.promise(() => new Promise((done) => setTimeout(done, 20)))
      yield* TestClock.adjust("9999 millis")
      expect(waiting.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 millis")
      const answer = yield* Fiber.join(waiting)
      expect(answer.status).toBe(502)
    }).pipe(Effect.provide(layer({ outside: http })))
  })
})

describe("at rest", () => {
  it.effect("the store contains no readable token, state or verifier", () => {
    const { tokenRequests, http } = platform(() => Response.json(tokens("C4NARY")))
    return Effect.gen(function* () {
      const { one } = yield* Tenants
      const waiting = yield* start(one.key)
      yield* link(one.key)
      const text = yield* dump()
      expect(text).toContain(one.id)
      for (const secret of ["C4NARY", waiting.state, tokenRequests[0]?.get("code_verifier") ?? "none"]) {
        expect(text).not.toContain(secret)
      }
      expect((yield* follow(one.key)).status).toBe(200)
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect("a session moved to another owner does not decrypt", () => {
    let count = 0
    const { upstreamTokens, http } = platform(() => Response.json(tokens(++count)))
    return Effect.gen(function* () {
      const { one, sql, two } = yield* Tenants
      yield* link(one.key)
      yield* sql`UPDATE link_sessions SET owner = ${two.id}`
      expect((yield* follow(two.key)).status).toBe(403)
      yield* sql`UPDATE link_sessions SET owner = ${one.id}`
      expect((yield* follow(one.key)).status).toBe(200)
      yield* sql`UPDATE link_sessions SET access = zeroblob(4)`
      expect((yield* follow(one.key)).status).toBe(403)
      expect(upstreamTokens).toHaveLength(1)
    }).pipe(Effect.provide(layer({ outside: http })))
  })

  it.effect("a POST without a credential is refused with 401", () =>
    Effect.gen(function* () {
      expect((yield* ask("POST", callback, {}, "{}")).status).toBe(401)
      expect((yield* ask("POST", followPath, {}, "{}")).status).toBe(401)
    }).pipe(Effect.provide(layer()))
  )
})
