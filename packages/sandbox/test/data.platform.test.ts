import { describe, expect, it } from "@effect/vitest"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as TestClock from "effect/testing/TestClock"
import { emptyMemory, Memory } from "../src/data/Memory.ts"
import { table } from "../src/data/table.ts"
import { call, query, type Got } from "./dataAsk.ts"

const redirect_uri = "http://127.0.0.1:8787/apis/v1/social_a/oauth_callback?keep=1"
const verifier = "a-verifier-of-the-length-that-pkce-asks-for-43"

const challenge = Digest.Digest.use((digest) => digest.digest(Digest.sha256, Utf8.encode(verifier))).pipe(
  Effect.map(Base64Url.encode),
  Effect.provide(Digest.layerWebCrypto)
)

const authorize = (over: Record<string, string>) =>
  Effect.flatMap(challenge, (code_challenge) =>
    call(table["GET /platform/authorize"], "GET", {
      redirectUri: redirect_uri,
      query: query({
        client_id: "tollgate",
        redirect_uri,
        state: "s t&te=1",
        scope: "follows.write users.read",
        code_challenge,
        code_challenge_method: "S256",
        ...over
      })
    })
  )

const token = (form: Record<string, string>) => call(table["POST /platform/token"], "POST", { body: query(form) })

const follow = (headers: Record<string, string>, body = "{}") =>
  call(table["POST /apis/v1/{social_a}/follow_{social_a}"], "POST", { headers, body })

const back = (got: Got) => new URL(got.headers["location"] ?? "").searchParams

const code = (over: Record<string, string> = {}) =>
  Effect.map(authorize({ decision: "approve", ...over }), (got) => back(got).get("code") ?? "")

const exchange = (with_: string, over: Record<string, string> = {}) =>
  token({ grant_type: "authorization_code", code: with_, code_verifier: verifier, redirect_uri, ...over })

const field = (got: Got, name: string): string => String((got.body as Record<string, unknown>)[name])

const invalidGrant = { status: 400, body: { error: "invalid_grant" }, billed: {} }

describe("the platform's consent page", () => {
  it.effect("shows client and scopes, escaped", () =>
    Effect.gen(function* () {
      const page = yield* authorize({ client_id: `<b onclick='x'>"&`, scope: "users.read <script>" })
      const html = Utf8.decodeStrict(page.bytes)
      expect(page.status).toBe(200)
      expect(page.contentType).toContain("text/html")
      expect(page.billed).toEqual({})
      expect(html).toContain("Sandbox platform: allow &lt;b onclick=&#39;x&#39;&gt;&quot;&amp;?")
      expect(html).toContain("<li>users.read</li><li>&lt;script&gt;</li>")
      expect(html).not.toMatch(/<script|<b /)
    })
  )

  it.effect("has links that redirect with the user's decision", () =>
    Effect.gen(function* () {
      const html = Utf8.decodeStrict((yield* authorize({})).bytes)
      const links = [...html.matchAll(/href="\?([^"]+)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"))
      const [approved, denied] = yield* Effect.forEach(links, (link) =>
        call(table["GET /platform/authorize"], "GET", { query: link, redirectUri: redirect_uri })
      )
      expect([approved?.status, denied?.status]).toEqual([302, 302])
      expect(approved?.headers["location"]).toMatch(
        /^http:\/\/127\.0\.0\.1:8787\/apis\/v1\/social_a\/oauth_callback\?keep=1&code=/
      )
      expect(approved && back(approved).get("state")).toBe("s t&te=1")
      expect(denied && [...back(denied)]).toEqual([
        ["keep", "1"],
        ["error", "access_denied"],
        ["state", "s t&te=1"]
      ])
      expect((yield* exchange((approved && back(approved).get("code")) ?? "")).status).toBe(200)
    })
  )

  it.effect("is refused if a parameter is invalid", () =>
    Effect.gen(function* () {
      for (const over of [
        { client_id: "" },
        { client_id: "x".repeat(201) },
        { redirect_uri: "" },
        { redirect_uri: "javascript:alert(1)" },
        { redirect_uri: "/relative" },
        { redirect_uri: "http://a.invalid/elsewhere" },
        { redirect_uri: `${redirect_uri}&more=1` },
        { redirect_uri: "http://a.invalid/#fragment" },
        { redirect_uri: "http://a.invalid/\r\nset-cookie: x" },
        { state: "" },
        { scope: "x".repeat(1_001) },
        { scope: "é" },
        { code_challenge: "short" },
        { code_challenge_method: "plain" },
        { response_type: "token" }
      ]) {
        const got = yield* authorize({ decision: "approve", ...(over as Record<string, string>) })
        expect(got, JSON.stringify(over)).toMatchObject({ status: 400, headers: {} })
      }
      expect((yield* authorize({ response_type: "code" })).status).toBe(200)
    })
  )
})

describe("the platform's tokens", () => {
  it.effect("are issued for a code and allow to follow", () =>
    Effect.gen(function* () {
      const got = yield* exchange(yield* code())
      expect(got).toMatchObject({
        status: 200,
        body: { token_type: "bearer", expires_in: 7_200, scope: "follows.write users.read" },
        billed: {},
        headers: { "cache-control": "no-store" }
      })
      const authorization = `Bearer ${field(got, "access_token")}`
      expect(yield* follow({ authorization }, `{"target_user_id":"1"}`)).toMatchObject({
        status: 200,
        operation: "social_a.follow",
        body: { data: { following: true, pending_follow: false } },
        billed: { requests: 1 }
      })
      expect((yield* follow({ authorization }, "")).status).toBe(200)
      for (const body of ["[]", "{", "1", "null"]) {
        expect(yield* follow({ authorization }, body)).toMatchObject({ status: 400, billed: {} })
      }
    })
  )

  it.effect("stay valid after a restart, and so do codes", () =>
    Effect.gen(function* () {
      const fresh = (): Memory => emptyMemory()
      const made = yield* code().pipe(Effect.provideService(Memory, fresh()))
      const got = yield* exchange(made).pipe(Effect.provideService(Memory, fresh()))
      const authorization = `Bearer ${field(got, "access_token")}`
      const followed = yield* follow({ authorization }).pipe(Effect.provideService(Memory, fresh()))
      expect(followed.status).toBe(200)
    })
  )

  it.effect("a code works once, for ten minutes, with its own verifier, redirect and client", () =>
    Effect.gen(function* () {
      const used = yield* code()
      expect(yield* exchange(used, { code_verifier: `${verifier}x` })).toMatchObject(invalidGrant)
      expect(yield* exchange(used, { code_verifier: "" })).toMatchObject(invalidGrant)
      expect(yield* exchange(used, { redirect_uri: "http://other.invalid" })).toMatchObject(invalidGrant)
      expect(yield* exchange(used, { client_id: "other" })).toMatchObject(invalidGrant)
      expect((yield* exchange(used, { client_id: "tollgate" })).status).toBe(200)
      expect(yield* exchange(used)).toMatchObject(invalidGrant)
      const raced = yield* code()
      const both = yield* Effect.all([exchange(raced), exchange(raced)], { concurrency: 2 })
      expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
      const late = yield* code()
      yield* TestClock.adjust("10 minutes")
      expect(yield* exchange(late)).toMatchObject(invalidGrant)
    })
  )

  it.effect("expire after two hours, and can be refreshed with the same scopes", () =>
    Effect.gen(function* () {
      const first = yield* exchange(yield* code())
      const refresh_token = field(first, "refresh_token")
      const authorization = `Bearer ${field(first, "access_token")}`
      yield* TestClock.adjust(7_199_999)
      expect((yield* follow({ authorization })).status).toBe(200)
      yield* TestClock.adjust(1)
      expect(yield* follow({ authorization })).toMatchObject({ status: 401, billed: {} })
      const next = yield* token({ grant_type: "refresh_token", refresh_token })
      expect(next).toMatchObject({ status: 200, body: { scope: "follows.write users.read" } })
      expect((yield* follow({ authorization: `Bearer ${field(next, "access_token")}` })).status).toBe(200)
      yield* TestClock.adjust("180 days")
      expect(yield* token({ grant_type: "refresh_token", refresh_token })).toMatchObject(invalidGrant)
    })
  )

  it.effect("a token without the scope cannot follow", () =>
    Effect.gen(function* () {
      for (const scope of ["", "users.read", "follows.writes", "xfollows.write"]) {
        const got = yield* exchange(yield* code({ scope }))
        const authorization = `Bearer ${field(got, "access_token")}`
        expect(yield* follow({ authorization })).toMatchObject({ status: 403, billed: {} })
      }
    })
  )

  it.effect("anything but an access token of the sandbox is refused", () =>
    Effect.gen(function* () {
      const got = yield* exchange(yield* code())
      const access = field(got, "access_token")
      for (const authorization of [
        "",
        "Bearer",
        "Bearer x",
        `Basic ${access}`,
        `Bearer ${access}x`,
        `Bearer ${access.replace("sandbox_access_", "sandbox_access_e")}`,
        `Bearer ${field(got, "refresh_token")}`,
        `Bearer ${yield* code()}`
      ]) {
        expect(yield* follow({ authorization }), authorization).toMatchObject({ status: 401, billed: {} })
      }
      expect(yield* token({ grant_type: "refresh_token", refresh_token: access })).toMatchObject(invalidGrant)
      expect(yield* token({ grant_type: "refresh_token" })).toMatchObject(invalidGrant)
      expect(yield* exchange(access)).toMatchObject(invalidGrant)
    })
  )

  it.effect("parameters of the largest size still work", () =>
    Effect.gen(function* () {
      const scope = `follows.write ${"x".repeat(980)}`
      const large = yield* code({ client_id: "\\".repeat(200), scope })
      const got = yield* exchange(large)
      expect(got.status).toBe(200)
      expect((yield* follow({ authorization: `Bearer ${field(got, "access_token")}` })).status).toBe(200)
    })
  )

  it.effect("an invalid form is a clear error", () =>
    Effect.gen(function* () {
      const post = (body: string | Uint8Array) => call(table["POST /platform/token"], "POST", { body })
      for (const body of ["", "%ff", "x".repeat(20_000), "grant_type=a&grant_type=b", new Uint8Array([0xff, 0xfe])]) {
        expect(yield* post(body)).toMatchObject({ status: 400, body: { error: "invalid_request" } })
      }
      expect(yield* call(table["POST /platform/token"], "POST")).toMatchObject({ status: 400 })
      expect(yield* token({ grant_type: "password" })).toMatchObject({ body: { error: "unsupported_grant_type" } })
    })
  )
})
