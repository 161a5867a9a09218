import { describe, expect, it } from "@effect/vitest"
import { Carrier } from "@tollgate/gateway"
import { type IssuerSettings, IssuerTokens, UpstreamCarrier } from "@tollgate/server"
import { externalIssuer, newKey, sign } from "@tollgate/testing/hostile/externalIssuer"
import { tcpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { exportJWK, exportSPKI, type JWTPayload, SignJWT } from "jose"

const audience = "https://gateway.example.com"
const audiences = [audience, `${audience}/mcp`]
const account = "acct_00000000000000000001"
const now = 1_800_000_000

/** An issuer with one key, and the gateway's verifier of its tokens. */
const world = Effect.fnUntraced(function* (settings: Partial<IssuerSettings> = {}) {
  yield* TestClock.setTime(now * 1_000)
  const issuer = yield* externalIssuer()
  const key = yield* newKey("first")
  yield* issuer.publish(key)
  const claims: JWTPayload = {
    iss: issuer.issuer,
    aud: audience,
    sub: "anna",
    client_id: "agent",
    scope: "use usage",
    iat: now,
    exp: now + 600
  }
  const tokens = yield* IssuerTokens.make(
    { issuer: issuer.issuer, private: true, accounts: { anna: account }, ...settings },
    audiences
  )
  /** The token's account, `invalid`, or the code of the refusal. */
  const judge = (token: string) =>
    Effect.match(tokens.verify(token), {
      onSuccess: Option.match({ onNone: () => "invalid", onSome: ({ account }) => account ?? "no account" }),
      onFailure: ({ refusal }) => refusal.code
    })
  const judgeClaims = (more: JWTPayload, header: object = {}) =>
    Effect.flatMap(sign(key, { ...claims, ...more }, header), judge)
  return { issuer, key, claims, tokens, judge, judgeClaims }
})

const test = (title: string, body: Effect.Effect<void, unknown, Effect.Services<ReturnType<typeof world>>>) =>
  it.effect(title, () => body.pipe(Effect.scoped, Effect.provide(UpstreamCarrier.layer())))

const text = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")

describe("a token of an external issuer", () => {
  test(
    "is a credential of the account of its subject, with its client and scopes",
    Effect.gen(function* () {
      const { claims, issuer, key, tokens } = yield* world()
      const token = yield* sign(key, claims)
      expect(Option.getOrThrow(yield* tokens.verify(token))).toMatchObject({
        account,
        client: "agent",
        scopes: new Set(["use", "usage"]),
        audiences: [audience]
      })
      yield* tokens.verify(token)
      yield* tokens.verify(yield* sign(key, { ...claims, jti: "another" }))
      expect(issuer.asked).toEqual(["/.well-known/oauth-authorization-server", "/jwks"])
    })
  )

  test(
    "is refused if it is for another audience, from another issuer, expired, not yet valid, or without an end",
    Effect.gen(function* () {
      const { claims, judge, judgeClaims, key } = yield* world()
      expect(yield* judgeClaims({})).toBe(account)
      expect(yield* judgeClaims({ aud: ["https://other.example.com", `${audience}/mcp`] })).toBe(account)
      const wrong: ReadonlyArray<JWTPayload> = [
        { aud: "https://other.example.com" },
        { aud: `${audience}/other` },
        { aud: [] },
        { iss: "https://other.example.com" },
        { exp: now - 6 },
        { nbf: now + 6 },
        { cnf: { jkt: "bound to a key" } }
      ]
      for (const more of wrong) expect(yield* judgeClaims(more), JSON.stringify(more)).toBe("invalid")
      for (const missing of ["aud", "iss", "exp"]) {
        const rest: JWTPayload = Object.fromEntries(Object.entries(claims).filter(([name]) => name !== missing))
        expect(yield* judge(yield* sign(key, rest)), missing).toBe("invalid")
      }
    })
  )

  test(
    "is refused if it is of another kind: an ID, a logout token or a proof",
    Effect.gen(function* () {
      const { judgeClaims } = yield* world()
      for (const typ of [undefined, "JWT", "at+jwt", "application/at+jwt", "AT+JWT"]) {
        expect(yield* judgeClaims({}, { typ }), typ).toBe(account)
      }
      for (const typ of ["logout+jwt", "dpop+jwt", "id_token", "", 1]) {
        expect(yield* judgeClaims({}, { typ }), String(typ)).toBe("invalid")
      }
    })
  )

  test(
    "is refused if it is not signed by a key of the issuer",
    Effect.gen(function* () {
      const { claims, judge, judgeClaims, key } = yield* world()
      const token = yield* sign(key, claims)
      const [header = "", payload = "", signature = ""] = token.split(".")
      const other = yield* newKey(key.kid)
      const publicKey = yield* Effect.promise(() => exportSPKI(key.publicKey))
      const jwk = yield* Effect.promise(() => exportJWK(other.publicKey))
      const byPublicKey = yield* Effect.promise(() =>
        new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: key.kid }).sign(Buffer.from(publicKey))
      )
      const byXOfPublicKey = yield* Effect.promise(async () =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: "HS256", kid: key.kid })
          .sign(Buffer.from((await exportJWK(key.publicKey)).x ?? "".padEnd(32), "base64url"))
      )
      const wrong = {
        "another key with the same name": yield* sign(other, claims),
        "a key in the header": yield* sign(other, claims, { jwk }),
        "a certificate's address in the header": yield* sign(other, claims, { jku: "http://127.0.0.1:1/jwks" }),
        "alg none": `${text({ alg: "none", typ: "at+jwt" })}.${payload}.`,
        "alg none with a signature": `${text({ alg: "none", kid: key.kid })}.${payload}.${signature}`,
        "alg in other letters": `${text({ alg: "nOnE", kid: key.kid })}.${payload}.${signature}`,
        "HS256 by the public key": byPublicKey,
        "HS256 by the public key's bytes": byXOfPublicKey,
        "another payload": `${header}.${text({ ...claims, sub: "eve" })}.${signature}`,
        "no signature": `${header}.${payload}.`,
        "a critical extension": `${text({ alg: "ES256", kid: key.kid, crit: ["b64"], b64: false })}.${payload}.${signature}`,
        "an encrypted token": `${header}.${payload}.${signature}.${payload}.${signature}`,
        "an endless token": `${header}.${payload}${"A".repeat(20_000)}.${signature}`,
        nothing: "..",
        "not a token": "opaque-token-of-another-server"
      }
      for (const [name, token] of Object.entries(wrong)) expect(yield* judge(token), name).toBe("invalid")
      expect(yield* judge(token)).toBe(account)
      expect(yield* judgeClaims({}, { kid: undefined })).toBe(account)
    })
  )

  test(
    "is refused if its algorithm is not among those that the operator allows",
    Effect.gen(function* () {
      const { claims, issuer, judge, key } = yield* world({ algorithms: ["RS256"] })
      const rsa = yield* newKey("second", "RS256")
      yield* issuer.publish(key, rsa)
      expect(yield* judge(yield* sign(key, claims))).toBe("invalid")
      expect(yield* judge(yield* sign(rsa, claims))).toBe(account)
    })
  )

  test(
    "gets its account, client and scopes from the claims that the operator names",
    Effect.gen(function* () {
      const { claims, judgeClaims, key, tokens } = yield* world({
        subjectClaim: "email",
        accountClaim: "account",
        clientClaim: "cid"
      })
      expect(yield* judgeClaims({})).toBe("no account")
      expect(yield* judgeClaims({ email: "anna" })).toBe(account)
      expect(yield* judgeClaims({ email: "toString" })).toBe("no account")
      expect(yield* judgeClaims({ account: "acct_2" })).toBe("acct_2")
      expect(yield* judgeClaims({ account: ["acct_2"] })).toBe("no account")
      const { scope: _, ...withoutScope } = claims
      const token = yield* sign(key, { ...withoutScope, scp: ["use"], cid: "other" })
      expect(Option.getOrThrow(yield* tokens.verify(token))).toMatchObject({
        client: "other",
        scopes: new Set(["use"])
      })
    })
  )

  test(
    "is no longer good after its end, also if it was good before",
    Effect.gen(function* () {
      const { claims, judge, key } = yield* world()
      const token = yield* sign(key, claims)
      expect(yield* judge(token)).toBe(account)
      yield* TestClock.adjust("604 seconds")
      expect(yield* judge(token)).toBe(account)
      yield* TestClock.adjust("1 seconds")
      expect(yield* judge(token)).toBe("invalid")
    })
  )
})

describe("the keys of an external issuer", () => {
  test(
    "may change: a new one works at once, and a withdrawn one after ten minutes no longer",
    Effect.gen(function* () {
      const { claims, issuer, judge, key } = yield* world()
      const second = yield* newKey("second")
      const old = yield* sign(key, { ...claims, exp: now + 9_000 })
      expect(yield* judge(old)).toBe(account)
      yield* issuer.publish(key, second)
      yield* TestClock.adjust("10 seconds")
      expect(yield* judge(yield* sign(second, claims))).toBe(account)
      yield* issuer.publish(second)
      expect(yield* judge(old)).toBe(account)
      yield* TestClock.adjust("10 minutes")
      expect(yield* judge(old)).toBe("invalid")
    })
  )

  test(
    "are asked for once in ten seconds, however many tokens name keys that do not exist",
    Effect.gen(function* () {
      const { claims, issuer, judge, key } = yield* world()
      const flood = Effect.forEach(
        Array.from({ length: 50 }, (_, i) => i),
        (i) => Effect.flatMap(sign(key, claims, { kid: `invented ${i}` }), judge),
        { concurrency: "unbounded" }
      )
      expect(new Set(yield* flood)).toEqual(new Set(["invalid"]))
      expect(issuer.asked.filter((path) => path === "/jwks")).toHaveLength(1)
      yield* TestClock.adjust("10 seconds")
      yield* flood
      yield* flood
      expect(issuer.asked.filter((path) => path === "/jwks")).toHaveLength(2)
      expect(yield* judge(yield* sign(key, claims))).toBe(account)
    })
  )

  test(
    "are not asked for by tokens that cannot be good",
    Effect.gen(function* () {
      const { claims, issuer, judge, judgeClaims, key } = yield* world()
      yield* judge("opaque-token")
      yield* judgeClaims({ iss: "https://other.example.com" })
      yield* judgeClaims({ exp: now - 60 })
      yield* judge(`${text({ alg: "HS256" })}.${text(claims)}.AAAA`)
      expect(issuer.asked).toEqual([])
      expect(yield* judge(yield* sign(key, claims))).toBe(account)
    })
  )

  test(
    "cannot be read: a token that was good stays good until its end, a new one is refused with 503, never 401",
    Effect.gen(function* () {
      const { claims, issuer, judge, key } = yield* world()
      const known = yield* sign(key, { ...claims, exp: now + 1_200 })
      const later = yield* sign(key, { ...claims, exp: now + 9_000 })
      expect(yield* judge(known)).toBe(account)
      const comeBack = issuer.goDown()
      expect(yield* judge(yield* sign(key, claims, { kid: "second" }))).toBe("invalid")
      yield* TestClock.adjust("10 minutes")
      expect(yield* judge(known)).toBe(account)
      expect(yield* judge(later)).toBe("issuer_unavailable")
      expect(yield* judge("opaque-token")).toBe("invalid")
      const asked = issuer.asked.length
      expect(yield* judge(later)).toBe("issuer_unavailable")
      expect(issuer.asked.length).toBe(asked)
      yield* TestClock.adjust("604 seconds")
      expect(yield* judge(known)).toBe(account)
      yield* TestClock.adjust("1 seconds")
      expect(yield* judge(known)).toBe("invalid")
      comeBack()
      yield* TestClock.adjust("10 seconds")
      expect(yield* judge(later)).toBe(account)
    })
  )

  test(
    "that are huge, HTML, of another issuer, elsewhere or malformed are not used",
    Effect.gen(function* () {
      const { claims, issuer, judge, key } = yield* world()
      const token = yield* sign(key, claims)
      const jwks = issuer.answers.get("/jwks")
      const attempt = Effect.andThen(TestClock.adjust("10 seconds"), judge(token))
      const own = yield* Effect.promise(() => exportJWK(key.publicKey))
      const bodies = [
        "<html>",
        "[]",
        "{}",
        '{"keys":{}}',
        '{"keys":[1]}',
        '{"keys":[{"kty":"oct","k":"AAAA"}]}',
        '{"keys":[]',
        JSON.stringify({ keys: [own], padding: "A".repeat(300_000) }),
        JSON.stringify({ keys: [own, ...Array<object>(100).fill({ kty: "EC" })] })
      ]
      for (const body of bodies) {
        issuer.answers.set("/jwks", (res) => void res.end(body))
        expect(yield* attempt, body.slice(0, 50)).toBe("issuer_unavailable")
      }
      issuer.answers.set("/jwks", (res) => void res.writeHead(302, { location: "/elsewhere" }).end())
      issuer.answers.set("/elsewhere", jwks ?? (() => {}))
      expect(yield* attempt).toBe("issuer_unavailable")
      issuer.answers.set("/jwks", jwks ?? (() => {}))
      issuer.metadata({ issuer: "https://other.example.com" })
      expect(yield* attempt).toBe("issuer_unavailable")
      issuer.metadata({ jwks_uri: "file:///etc/passwd" })
      expect(yield* attempt).toBe("issuer_unavailable")
      issuer.metadata({})
      expect(yield* attempt).toBe(account)
    })
  )

  test(
    "that arrive too slowly are left after five seconds",
    Effect.gen(function* () {
      const { claims, key } = yield* world()
      const { port } = yield* tcpUpstream(() => {})
      const issuer = `http://127.0.0.1:${port}`
      const deadlines: Array<number> = []
      const { carry } = yield* Carrier
      const slow = yield* IssuerTokens.make({ issuer, private: true }, audiences).pipe(
        Effect.provideService(Carrier, {
          carry: (outgoing) => {
            deadlines.push(outgoing.deadlineMillis)
            return carry({ ...outgoing, deadlineMillis: 50 })
          }
        })
      )
      const token = yield* sign(key, { ...claims, iss: issuer })
      const code = yield* Effect.match(slow.verify(token), {
        onSuccess: () => "",
        onFailure: ({ refusal }) => refusal.code
      })
      expect([code, deadlines]).toEqual(["issuer_unavailable", [5_000]])
    })
  )

  test(
    "are not read from a private address, or without TLS, unless the operator allows it",
    Effect.gen(function* () {
      const { claims, issuer, judge, key } = yield* world({ private: false })
      expect(yield* judge(yield* sign(key, claims))).toBe("issuer_unavailable")
      expect(issuer.asked).toEqual([])
    })
  )

  test(
    "are found by OpenID's metadata too, and at an address that the operator gives",
    Effect.gen(function* () {
      const { claims, issuer, judge, key } = yield* world()
      const metadata = issuer.answers.get("/.well-known/oauth-authorization-server")
      issuer.answers.delete("/.well-known/oauth-authorization-server")
      issuer.answers.set("/.well-known/openid-configuration", metadata ?? (() => {}))
      expect(yield* judge(yield* sign(key, claims))).toBe(account)
      const named = yield* IssuerTokens.make(
        { issuer: claims.iss ?? "", jwksUri: `${issuer.issuer}/jwks`, private: true },
        audiences
      )
      issuer.answers.delete("/.well-known/openid-configuration")
      expect(Option.isSome(yield* named.verify(yield* sign(key, claims)))).toBe(true)
    })
  )
})
