import { describe, expect, it } from "@effect/vitest"
import { Client, follow, linkStart } from "@tollgate/client"
import { link, withLink } from "@tollgate/client/link"
import * as HttpCarrier from "@tollgate/contract/carrier/HttpCarrier"
import type { LinkSession } from "@tollgate/contract/resources/LinkSession"
import { BillingLog, client, Sandbox } from "@tollgate/sandbox"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { ask } from "@tollgate/testing/ask"
import { calls, priced } from "@tollgate/testing/models"
import { redirectUri } from "@tollgate/testing/link/app"

let underWay = 0
const watched = (http: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transform(http, (effect) =>
    Effect.suspend(() => {
      underWay++
      return Effect.ensuring(
        effect,
        Effect.sync(() => underWay--)
      )
    })
  )

const api = Layer.unwrap(
  Host.use(({ baseUrl, http }) =>
    Effect.succeed(
      Client.layer({ credential: key, baseUrl }).pipe(
        Layer.provide(HttpCarrier.layer),
        Layer.provide(Layer.succeed(HttpClient.HttpClient, watched(http)))
      )
    )
  )
)

const layer = Layer.mergeAll(BillingLog.layerMemory(), api).pipe(
  Layer.provideMerge(Host.layerInProcess),
  Layer.provideMerge(TestGateway.layer({ operations: priced, sandbox: "all" }))
)

const inPath = (url: string): string => url.replace("http://gateway.invalid", "")

/** The user's browser: the platform's page, the decision, and the way back to the gateway. */
const decide = (decision: "approve" | "deny") =>
  Effect.fnUntraced(function* ({ auth_url }: LinkSession) {
    const browser = watched(client(yield* Sandbox.make({ redirectUri })))
    const sent = yield* Effect.orDie(browser.get(`http://sandbox.invalid${inPath(auth_url)}&decision=${decision}`))
    return (yield* Effect.orDie(ask("GET", inPath(sent.headers["location"] ?? "")))).status
  })

const input = { target_user_id: "7" }
const followed = { data: { following: true, pending_follow: false } }

/** Advances time by seconds while no request is in flight, because answers use real promises. */
const passUntil = Effect.fnUntraced(function* (isSo: () => boolean) {
  while (!isSo()) {
    do {
      for (let turns = 0; turns < 5; turns++) yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
    } while (underWay > 0)
    if (!isSo()) yield* TestClock.adjust("1 second")
  }
})

const states = Effect.map(calls, (rows) => rows.map(({ state }) => state))

describe("the client links an account", () => {
  it.effect("when the program confirms the user's approval, and writes then succeed", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(follow(input))).toMatchObject({ _tag: "Forbidden", code: "missing_scope" })
      const approved = yield* Deferred.make<string>()
      const open = (session: LinkSession) =>
        Effect.andThen(decide("approve")(session), Deferred.succeed(approved, session.state))
      const session = yield* link({ open, confirm: () => Deferred.await(approved) })
      expect(yield* Deferred.await(approved)).toBe(session.state)
      expect(yield* follow(input)).toEqual(followed)
      expect(yield* states).toEqual(["settled"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("once for concurrent writes, each of which is made and charged once", () =>
    Effect.gen(function* () {
      const shown: Array<LinkSession> = []
      let tries = 0
      const tried: typeof follow = (given) => Effect.tapError(follow(given), () => Effect.sync(() => tries++))
      const linked = withLink({ open: (session) => Effect.sync(() => shown.push(session)) })(tried)
      const writes = yield* Effect.forkChild(
        Effect.all([linked(input), linked(input), linked(input)], { concurrency: "unbounded" })
      )
      // Three writes, one immediate repeat, and two polls.
      yield* passUntil(() => tries === 6)
      expect(shown).toHaveLength(1)
      expect(yield* calls).toEqual([])
      expect(yield* Effect.forEach(shown, decide("approve"))).toEqual([200])
      yield* passUntil(() => writes.pollUnsafe() !== undefined)
      expect(yield* Fiber.join(writes)).toEqual([followed, followed, followed])
      expect(yield* states).toEqual(["settled", "settled", "settled"])
      expect(shown).toHaveLength(1)
      yield* linked(input)
      expect(yield* calls).toHaveLength(4)
    }).pipe(Effect.provide(layer))
  )

  it.effect("again when the session lacks a scope", () =>
    Effect.gen(function* () {
      const approve = decide("approve")
      yield* link({ scopes: ["tweet.read"], open: approve, confirm: () => Effect.void })
      expect((yield* Effect.flip(follow(input))).message).toContain("lacks follows.write")
      const linked = withLink({ open: approve, confirm: () => Effect.void })(follow)
      expect(yield* linked(input)).toEqual(followed)
      expect(yield* states).toEqual(["settled"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("unless the user declines: then the link expires", () =>
    Effect.gen(function* () {
      const linked = withLink({ open: decide("deny"), everyMillis: 120_000 })(follow)
      const write = yield* Effect.forkChild(Effect.flip(linked(input)))
      yield* passUntil(() => write.pollUnsafe() !== undefined)
      expect(yield* Fiber.join(write)).toMatchObject({
        _tag: "LinkExpired",
        expiresAt: 600_000,
        cause: { code: "missing_scope" }
      })
      expect(yield* calls).toEqual([])
    }).pipe(Effect.provide(layer))
  )

  it.effect("for known scopes only", () =>
    Effect.gen(function* () {
      const asked = link({ scopes: ["everything"], open: () => Effect.void, confirm: () => Effect.void })
      expect((yield* Effect.flip(asked))._tag).toBe("InvalidRequest")
      expect((yield* linkStart({})).expires_at).toBe("1970-01-01T00:10:00.000Z")
    }).pipe(Effect.provide(layer))
  )
})
