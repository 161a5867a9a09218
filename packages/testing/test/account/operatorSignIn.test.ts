import { describe, expect, it } from "@effect/vitest"
import { Accounts, Admin, BaseUrl, Composition, ConsoleEndpoints, EndpointGroup, Operators } from "@tollgate/gateway"
import { NodeSqliteClient, OperatorSignIn } from "@tollgate/server"
import { Host, TestGateway } from "@tollgate/testing"
import { externalIssuer, newKey, sign } from "@tollgate/testing/hostile/externalIssuer"
import { Browser } from "@tollgate/testing/oauth/Browser"
import { client, openIdProvider, type Person } from "@tollgate/testing/operators/provider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { inspect } from "node:util"

const base = "https://gateway.example.com"
const callback = `${base}/console/operator/callback`
const secret = Redacted.make(new Uint8Array(32).fill(7))
const roles = { owner: ["admins"], finance: ["money"], support: ["help", "admins"], reader: ["everyone"] }

const store = Composition.layerStore(secret).pipe(Layer.provideMerge(NodeSqliteClient.layer({ filename: ":memory:" })))

const settingsFor = (
  issuer: string,
  more: Partial<OperatorSignIn.ProviderSettings> = {}
): OperatorSignIn.ProviderSettings => ({
  issuer,
  clientId: client.client_id,
  clientSecret: Redacted.make(client.client_secret),
  scopes: ["openid", "profile", "groups"],
  claim: "groups",
  roles,
  ...more
})

/** A gateway whose operators sign in at this provider. */
const served = (settings: OperatorSignIn.ProviderSettings) =>
  Host.layerNode.pipe(
    Layer.provideMerge(
      Layer.effect(
        TestGateway,
        Effect.gen(function* () {
          const admin = yield* Admin.make(undefined)
          const console = yield* ConsoleEndpoints.make(() => expect.unreachable(), admin)
          const signIn = yield* OperatorSignIn.make(settings)
          const app = EndpointGroup.serve(
            [Admin.endpoints(admin), console.endpoints, signIn],
            () => expect.unreachable(),
            console.pages
          )
          return { app, accounts: yield* Accounts, account: "", sql: yield* SqlClient } as TestGateway["Service"]
        }).pipe(Effect.provideService(BaseUrl, base))
      )
    ),
    Layer.provideMerge(store)
  )

type Services = Layer.Success<ReturnType<typeof served>>

/** A browser that takes the gateway for that of its address. */
class Visitor {
  readonly browser = new Browser()
  readonly #host: string
  constructor(host: string) {
    this.#host = host
  }
  readonly get = async (url: string, init: RequestInit = {}) => {
    const answer = await this.browser.fetch(url.replace(base, this.#host), init)
    const location = answer.headers.get("location")
    return { answer, to: location === null ? "" : new URL(location, url).href }
  }
  /** To the provider. */
  readonly begin = () => this.get(`${base}/console/operator/sign-in`)
  /** To the provider, through its pages, and to the callback, which is not asked. */
  readonly atProvider = async () => {
    let { to } = await this.begin()
    for (let i = 0; i < 8 && !to.startsWith(base); i++) {
      to = (await this.get(to, to.includes("/sign-in/") ? { method: "POST" } : {})).to
    }
    return to
  }
  readonly signIn = async () => (await this.get(await this.atProvider())).to
  /** What the console asks with the session that the address names. */
  readonly me = async (to: string): Promise<Readonly<Record<string, unknown>>> => {
    const headers = { "x-tollgate-console": to.split("#session=")[1] ?? "", "sec-fetch-site": "same-origin" }
    const { answer } = await this.get(`${base}/admin/v1/me`, { headers })
    return { status: answer.status, ...((await answer.json()) as object) }
  }
}

const person = Effect.map(Host, ({ baseUrl }) => new Visitor(baseUrl))

const run = <A, E>(settings: OperatorSignIn.ProviderSettings, effect: Effect.Effect<A, E, Services>) =>
  Effect.flatMap(Layer.build(served(settings)), (context) =>
    Effect.provideContext(effect, context as Context.Context<Services>)
  )

const refused = (why: string) => `${base}/operator#refused=${why}`
const session = /^https:\/\/gateway\.example\.com\/operator#session=\w+$/

describe("operators sign in at an OpenID provider", () => {
  it.effect("with the role of their groups, which the next sign-in changes, until an owner ends them", () =>
    Effect.gen(function* () {
      const people: Record<string, Person> = { ada: { name: "Ada", groups: ["help", "everyone"] } }
      const provider = yield* openIdProvider(() => callback, people)
      yield* run(
        settingsFor(provider.issuer),
        Effect.gen(function* () {
          const ada = yield* person
          const operators = yield* Operators
          const first = yield* Effect.promise(ada.signIn)
          expect(first).toMatch(session)
          expect(yield* Effect.promise(() => ada.me(first))).toMatchObject({
            status: 200,
            name: "Ada",
            role: "support"
          })
          const sql = yield* SqlClient
          expect(
            yield* sql`SELECT who, address, request, action FROM trail WHERE action = 'operator added'`
          ).toMatchObject([
            { who: `Ada, sign-in at ${provider.issuer}`, address: "127.0.0.1", request: expect.stringMatching(/^req_/) }
          ])

          people.ada = { name: "Ada L.", groups: "everyone" }
          // What the provider says holds from the next sign-in.
          expect(yield* Effect.promise(() => ada.me(first))).toMatchObject({ role: "support" })
          const second = yield* Effect.promise(ada.signIn)
          expect(yield* Effect.promise(() => ada.me(second))).toMatchObject({ name: "Ada L.", role: "reader" })
          const [only] = yield* operators.list
          expect(yield* operators.list).toHaveLength(1)

          people.ada = { name: "Ada", groups: ["unknown"] }
          expect(yield* Effect.promise(ada.signIn)).toBe(refused("no-role"))
          expect(yield* Effect.promise(() => ada.me(second))).toMatchObject({ status: 401 })

          people.ada = { name: "Ada", groups: ["everyone"] }
          const third = yield* Effect.promise(ada.signIn)
          yield* operators.end(only!.id)
          expect(yield* Effect.promise(() => ada.me(third))).toMatchObject({ status: 401 })
          expect(yield* Effect.promise(ada.signIn)).toBe(refused("ended"))
        })
      )
    })
  )

  it.effect("once for each answer, in the browser that asked, and not too late", () =>
    Effect.gen(function* () {
      const provider = yield* openIdProvider(() => callback, { ada: { name: "Ada", groups: ["admins"] } })
      yield* run(
        settingsFor(provider.issuer),
        Effect.gen(function* () {
          const ada = yield* person
          const eve = yield* person
          const begun = yield* Effect.promise(ada.begin)
          expect(begun.answer.headers.get("set-cookie")).toMatch(
            /^__Host-tollgate_sign_in=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/
          )
          expect(begun.answer.headers.get("cache-control")).toBe("no-store")
          const asked = new URL(begun.to).searchParams
          expect(asked.get("code_challenge_method")).toBe("S256")
          expect(begun.answer.headers.get("set-cookie")).not.toContain(asked.get("state"))

          const answer = yield* Effect.promise(ada.atProvider)
          // Another browser, with no cookie or with that of a sign-in of its own.
          expect((yield* Effect.promise(() => eve.get(answer))).to).toBe(refused("late"))
          yield* Effect.promise(eve.begin)
          expect((yield* Effect.promise(() => eve.get(answer))).to).toBe(refused("late"))
          const forged = new URL(answer)
          forged.searchParams.set("state", "forged")
          expect((yield* Effect.promise(() => ada.get(forged.href))).to).toBe(refused("late"))
          // Neither of them spoiled it.
          const { answer: done, to } = yield* Effect.promise(() => ada.get(answer))
          expect(to).toMatch(session)
          expect(done.headers.getSetCookie().join("\n")).toMatch(
            /__Host-tollgate_operator=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure/
          )
          expect((yield* Effect.promise(() => ada.get(answer))).to).toBe(refused("late"))

          const late = yield* Effect.promise(ada.atProvider)
          yield* TestClock.adjust("10 minutes")
          expect((yield* Effect.promise(() => ada.get(late))).to).toBe(refused("late"))
        })
      )
    })
  )

  it.effect("a code works once even if the browser kept its cookie, and nothing leads elsewhere", () =>
    Effect.gen(function* () {
      const provider = yield* openIdProvider(() => callback, { ada: { name: "Ada", groups: ["admins"] } })
      yield* run(
        settingsFor(provider.issuer),
        Effect.gen(function* () {
          const { baseUrl } = yield* Host
          const ada = yield* person
          const begun = yield* Effect.promise(ada.begin)
          const cookie = begun.answer.headers.get("set-cookie")!.split(";")[0]!
          let { to } = begun
          for (let i = 0; i < 8 && !to.startsWith(base); i++) {
            to = (yield* Effect.promise(() => ada.get(to, to.includes("/sign-in/") ? { method: "POST" } : {}))).to
          }
          const answer = (more = "", headers = {}) =>
            Effect.promise(async () => {
              const url = `${to.replace(base, baseUrl)}${more}`
              const answer = await fetch(url, { redirect: "manual", headers: { cookie, ...headers } })
              return answer.headers.get("location")
            })
          expect(yield* answer("&to=https://evil.example&return_to=//evil.example", { host: "evil.example" })).toMatch(
            session
          )
          expect(yield* answer()).toBe(refused("invalid"))
          const at = (path: string) =>
            Effect.promise(() => ada.get(`${base}/console/operator/sign-in${path}`)).pipe(
              Effect.map(({ to }) => new URL(to))
            )
          const elsewhere = yield* at("?redirect_uri=https://evil.example&to=//evil.example")
          expect([elsewhere.origin, elsewhere.searchParams.get("redirect_uri")]).toEqual([provider.issuer, callback])
        })
      )
    })
  )

  it.effect("also without a secret, as a public client", () =>
    Effect.gen(function* () {
      const provider = yield* openIdProvider(() => callback, { ada: { name: "Ada", groups: ["admins"] } })
      const as = (clientSecret: OperatorSignIn.ProviderSettings["clientSecret"], clientId: string) =>
        run(
          settingsFor(provider.issuer, { clientId, clientSecret }),
          Effect.flatMap(person, (ada) => Effect.promise(ada.signIn))
        )
      expect(yield* as(undefined, "public")).toMatch(session)
      expect(yield* as(undefined, client.client_id)).toBe(refused("invalid"))
      expect(yield* as(Redacted.make("another secret"), client.client_id)).toBe(refused("invalid"))
    })
  )

  it.effect("a person whom the provider refuses, and one who asks too often, are told", () =>
    Effect.gen(function* () {
      const provider = yield* openIdProvider(() => callback, { ada: { name: "Ada", groups: ["admins"] } })
      provider.denies = true
      yield* run(
        settingsFor(provider.issuer),
        Effect.gen(function* () {
          const ada = yield* person
          expect(yield* Effect.promise(ada.signIn)).toBe(refused("declined"))
          for (let i = 0; i < 40; i++) yield* Effect.promise(ada.begin)
          expect((yield* Effect.promise(ada.begin)).to).toBe(refused("busy"))
        })
      )
    })
  )
})

/** A provider that says anything, and a person who comes back from it. */
const scripted = Effect.gen(function* () {
  const issuer = yield* externalIssuer()
  const key = yield* newKey("k1", "RS256")
  yield* issuer.publish(key)
  const json = (path: string, value: unknown) =>
    issuer.answers.set(path, (res) => void res.setHeader("content-type", "application/json").end(JSON.stringify(value)))
  const metadata = {
    issuer: issuer.issuer,
    authorization_endpoint: `${issuer.issuer}/authorize`,
    token_endpoint: `${issuer.issuer}/token`,
    jwks_uri: `${issuer.issuer}/jwks`,
    response_types_supported: ["code"]
  }
  const wellKnown = "/.well-known/openid-configuration"
  json(wellKnown, metadata)
  const answer = (claims: object, signer = key) =>
    Effect.gen(function* () {
      const now = Math.floor(Date.now() / 1_000)
      const all = {
        iss: issuer.issuer,
        aud: client.client_id,
        sub: "ada",
        iat: now,
        exp: now + 60,
        name: "Ada",
        ...claims
      }
      const id_token = yield* sign(signer, all, { typ: "JWT" })
      json("/token", { access_token: "an-access-token", token_type: "bearer", id_token })
    })
  /** Signs in with an id token of these claims. Without a nonce in them it is the right one. */
  const signIn = Effect.fnUntraced(function* (claims: object, signer = key) {
    const ada = yield* person
    const begun = yield* Effect.promise(ada.begin)
    const asked = new URL(begun.to).searchParams
    yield* answer({ nonce: asked.get("nonce"), ...claims }, signer)
    const query = new URLSearchParams({ code: "a-code", state: asked.get("state") ?? "" })
    const { to } = yield* Effect.promise(() => ada.get(`${callback}?${query}`))
    return { ada, to }
  })
  return { ...issuer, json, key, metadata, signIn, wellKnown }
})

const past = Math.floor(Date.now() / 1_000) - 3_600

const wrongTokens: ReadonlyArray<readonly [string, object]> = [
  ["another audience", { aud: "another-client" }],
  ["many audiences and another party", { aud: ["another", client.client_id], azp: "another" }],
  ["another issuer", { iss: "https://evil.example" }],
  ["another nonce", { nonce: "another" }],
  ["no nonce", { nonce: undefined }],
  ["an end that is past", { iat: past, exp: past + 60 }],
  ["no subject", { sub: undefined }],
  ["a subject that is no text", { sub: 5 }]
]

describe("an OpenID provider that is wrong", () => {
  it.effect.each(wrongTokens)("signs nobody in by an id token with %s", ([, claims]) =>
    Effect.gen(function* () {
      const provider = yield* scripted
      yield* run(
        settingsFor(provider.issuer),
        Effect.gen(function* () {
          expect((yield* provider.signIn({ groups: ["admins"], ...claims })).to).toBe(refused("invalid"))
          expect((yield* provider.signIn({ groups: ["admins"] })).to).toMatch(session)
        })
      )
    })
  )

  it.effect("signs nobody in by a signature of another key, or by none", () =>
    Effect.gen(function* () {
      const provider = yield* scripted
      const other = yield* newKey("k1", "RS256")
      yield* run(
        settingsFor(provider.issuer),
        Effect.gen(function* () {
          expect((yield* provider.signIn({ groups: ["admins"] }, other)).to).toBe(refused("invalid"))
          const ada = yield* person
          const asked = new URL((yield* Effect.promise(ada.begin)).to).searchParams
          const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
          const now = Math.floor(Date.now() / 1_000)
          const claims = { iss: provider.issuer, aud: client.client_id, sub: "ada", iat: now, exp: now + 60 }
          const unsigned = `${part({ alg: "none" })}.${part({ ...claims, nonce: asked.get("nonce"), groups: ["admins"] })}.`
          provider.json("/token", { access_token: "a", token_type: "bearer", id_token: unsigned })
          const back = `${callback}?code=a-code&state=${asked.get("state")}`
          expect((yield* Effect.promise(() => ada.get(back))).to).toBe(refused("invalid"))
          expect(yield* (yield* Operators).list).toEqual([])
        })
      )
    })
  )

  it.effect.each([
    ["one group as a text", "money", "finance"],
    ["finance and support: the first of them", ["help", "money"], "finance"],
    ["the strongest of all", ["everyone", "help", "money", "admins"], "owner"],
    ["twenty thousand groups", [...Array.from({ length: 20_000 }, (_, i) => `group-${i}`), "help"], "support"],
    ["a part of a name", "admins,everyone", undefined],
    ["no groups", undefined, undefined],
    ["an empty list", [], undefined],
    ["an object", { admins: true }, undefined],
    ["lists in lists", [["admins"]], undefined],
    ["another case", ["Admins"], undefined]
  ])("says of groups %s", ([, groups, role]) =>
    Effect.gen(function* () {
      const provider = yield* scripted
      yield* run(
        settingsFor(provider.issuer),
        Effect.gen(function* () {
          const { ada, to } = yield* provider.signIn({ groups })
          if (role === undefined) return expect(to).toBe(refused("no-role"))
          expect(yield* Effect.promise(() => ada.me(to))).toMatchObject({ role })
        })
      )
    })
  )

  it.effect("is asked again after it was down, answered junk or redirected", () =>
    Effect.gen(function* () {
      const provider = yield* scripted
      const { answers, json, metadata, wellKnown } = provider
      const begin = Effect.flatMap(person, (ada) => Effect.promise(ada.begin))
      yield* run(
        settingsFor(provider.issuer),
        Effect.gen(function* () {
          const back = provider.goDown()
          expect((yield* begin).to).toBe(refused("unreachable"))
          back()
          for (const junk of [
            {},
            [],
            { ...metadata, issuer: "https://evil.example" },
            { padding: "x".repeat(2_000_000) }
          ]) {
            json(wellKnown, junk)
            expect((yield* begin).to).toBe(refused("invalid"))
          }
          answers.set(wellKnown, (res) => void res.writeHead(302, { location: "https://evil.example" }).end())
          expect((yield* begin).to).toBe(refused("invalid"))
          answers.set(wellKnown, (res) => void res.end("<html>"))
          expect((yield* begin).to).toBe(refused("invalid"))
          json(wellKnown, metadata)
          expect((yield* provider.signIn({ groups: ["admins"] })).to).toMatch(session)
          const asked = provider.asked.filter((path) => path === wellKnown).length
          yield* begin
          expect(provider.asked.filter((path) => path === wellKnown)).toHaveLength(asked)
          yield* TestClock.adjust("1 hour")
          yield* begin
          expect(provider.asked.filter((path) => path === wellKnown)).toHaveLength(asked + 1)
        })
      )
    })
  )

  it.effect("is not waited for", () =>
    Effect.gen(function* () {
      const provider = yield* scripted
      yield* run(
        settingsFor(provider.issuer),
        Effect.gen(function* () {
          provider.answers.set(provider.wellKnown, () => {})
          // Who comes meanwhile waits for the same answer.
          const both = yield* Effect.all(
            [1, 2].map(() => Effect.flatMap(person, (ada) => Effect.promise(ada.begin))),
            { concurrency: 2 }
          )
          expect(both.map(({ to }) => to)).toEqual([refused("unreachable"), refused("unreachable")])
          expect(provider.asked.filter((path) => path === provider.wellKnown)).toHaveLength(1)
        })
      )
    })
  )

  it.effect("that breaks at the last step signs nobody in, and the log has no code of it", () =>
    Effect.gen(function* () {
      const provider = yield* scripted
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => {
        lines.push(inspect(message, { depth: 5 }))
      })
      yield* run(
        settingsFor(provider.issuer),
        Effect.gen(function* () {
          const answers: ReadonlyArray<readonly [object | string | undefined, number, string]> = [
            [undefined, 0, "unreachable"],
            ["<html>", 200, "invalid"],
            [{}, 200, "invalid"],
            [{ access_token: "a", token_type: "bearer" }, 200, "invalid"],
            [{ access_token: "a", token_type: "bearer", id_token: "a.b.c" }, 200, "invalid"],
            [{ error: "invalid_grant", error_description: "code a-code is used" }, 400, "invalid"]
          ]
          for (const [body, status, why] of answers) {
            const ada = yield* person
            const begun = yield* Effect.promise(ada.begin)
            provider.answers.set("/token", (res) => {
              if (body === undefined) return void res.destroy()
              res.writeHead(status, { "content-type": typeof body === "string" ? "text/html" : "application/json" })
              res.end(typeof body === "string" ? body : JSON.stringify(body))
            })
            const state = new URL(begun.to).searchParams.get("state") ?? ""
            const { to } = yield* Effect.promise(() => ada.get(`${callback}?code=a-code&state=${state}`))
            expect([body, to]).toEqual([body, refused(why)])
          }
          expect(yield* (yield* Operators).list).toEqual([])
        })
      ).pipe(Effect.provide(Logger.layer([logger])))
      expect(lines).toHaveLength(6)
      expect(lines.join()).toContain("invalid_grant")
      expect(lines.join()).not.toContain("a-code")
    })
  )

  it.effect("shows a name without what would mislead in the trail", () =>
    Effect.gen(function* () {
      const provider = yield* scripted
      yield* run(
        settingsFor(provider.issuer),
        Effect.gen(function* () {
          const { ada, to } = yield* provider.signIn({ groups: ["admins"], name: `A\u202Eda\n${"x".repeat(500)}` })
          expect(String((yield* Effect.promise(() => ada.me(to))).name)).toMatch(/^A da x{70,78}…$/)
          const unnamed = yield* provider.signIn({
            groups: ["admins"],
            name: "\u200B",
            email: "eve@example.com",
            sub: "eve"
          })
          expect((yield* Effect.promise(() => unnamed.ada.me(unnamed.to))).name).toBe("eve@example.com")
        })
      )
    })
  )
})
