import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { type CallError, type Client, follow, promises, rerank, withIdempotencyKey } from "@tollgate/client"
import { withLink, type WithLinkOptions } from "@tollgate/client/link"
import type { LinkError } from "../src/workflows/link/link.ts"
import type { follow as followOperation } from "@tollgate/contract/operations/follow"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { answer, inOrder, refusal } from "./attempts.ts"
import { forkCall, gateway } from "./linkScripted.ts"

class Closed extends Data.TaggedError("Closed") {}

const input = { target_user_id: "1" }

/** A program that shows the address. It confirms the approval through `confirmed`, if given. */
const program = (
  server: ReturnType<typeof gateway>,
  options: Partial<WithLinkOptions<Closed>> & { readonly confirmed?: Deferred.Deferred<void, Closed> } = {}
) => {
  const { confirmed, ...rest } = options
  return withLink<Closed>({
    open: () => server.note("show"),
    ...(confirmed === undefined
      ? {}
      : { confirm: () => Effect.andThen(server.note("confirm"), Deferred.await(confirmed)) }),
    ...rest
  })(follow)
}

const seconds = (server: ReturnType<typeof gateway>, what: string) =>
  server.log.filter(([, each]) => each === what).map(([at]) => at / 1_000)

describe("a write", () => {
  it.effect("that needs no link is sent once, and the user is not asked", () =>
    Effect.gen(function* () {
      const server = gateway()
      server.it.approved = true
      expect(yield* Effect.provide(program(server)(input), server.layer)).toEqual({ following: true })
      expect(server.what()).toEqual(["write"])
    })
  )

  it.effect("links, and is sent again when the program confirms the approval", () =>
    Effect.gen(function* () {
      const server = gateway()
      const confirmed = yield* Deferred.make<void, Closed>()
      const { join } = yield* forkCall(program(server, { confirmed })(input), server)
      yield* TestClock.adjust("9 minutes")
      expect(server.what()).toEqual(["write", "write", "start", "show", "confirm"])
      server.it.approved = true
      yield* Deferred.succeed(confirmed, undefined)
      expect(yield* join).toMatchObject({ success: { following: true } })
      expect(server.what().slice(5)).toEqual(["write"])
    })
  )

  it.effect("without `confirm` is retried every few seconds until it is not refused", () =>
    Effect.gen(function* () {
      const server = gateway()
      const { fiber, join } = yield* forkCall(program(server)(input), server)
      yield* TestClock.adjust("11 seconds")
      expect(seconds(server, "write")).toEqual([0, 0, 4, 8])
      server.it.approved = true
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 second")
      expect(yield* join).toMatchObject({ success: { following: true } })
      expect([seconds(server, "show"), seconds(server, "write").at(-1)]).toEqual([[0], 12])
      // Each try has its own key, so that none replays the stored refusal of another.
      const keys = server.sent
        .map(({ request }) => request.headers["idempotency-key"])
        .filter((key) => key !== undefined)
      expect([keys.length, new Set(keys).size]).toEqual([5, 5])
    })
  )

  it.effect.each([0, -1, Number.NaN])("is retried at most once a second, also with everyMillis %s", (everyMillis) =>
    Effect.gen(function* () {
      const server = gateway()
      const { fiber } = yield* forkCall(program(server, { everyMillis })(input), server)
      yield* TestClock.adjust("3 seconds")
      expect(seconds(server, "write")).toEqual([0, 0, 1, 2, 3])
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("is retried once before the user is asked, in case the session was renewed", () =>
    Effect.gen(function* () {
      const unlinked = inOrder(refusal(403, "missing_scope"), answer(200, { following: true }))
      const server = gateway({ unlinked })
      yield* Effect.provide(program(server)(input), server.layer)
      expect(server.what()).toEqual(["write", "write"])
    })
  )

  it.effect("makes a last attempt when the address expires, then fails with the refusal as cause", () =>
    Effect.gen(function* () {
      const server = gateway({ session: () => ({ expires_at: "1970-01-01T00:00:10Z" }) })
      const { join } = yield* forkCall(program(server)(input), server)
      yield* TestClock.adjust("1 minute")
      expect(yield* join).toMatchObject({
        failure: { _tag: "LinkExpired", outcome: "not executed", cause: { _tag: "Forbidden", code: "missing_scope" } }
      })
      expect(seconds(server, "write")).toEqual([0, 0, 4, 8, 10])
      // The next write starts a new link.
      const { fiber } = yield* forkCall(program(server)(input), server)
      yield* TestClock.adjust("1 second")
      expect(server.it.starts).toBe(2)
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("shows another address after expiry, if `again` allows", () =>
    Effect.gen(function* () {
      const session = (_: number, now: number) => ({ expires_at: new Date(now + 10_000).toISOString() })
      const server = gateway({ session })
      const { join } = yield* forkCall(program(server, { again: 1 })(input), server)
      yield* TestClock.adjust("15 seconds")
      expect(seconds(server, "show")).toEqual([0, 10])
      server.it.approved = true
      yield* TestClock.adjust("5 seconds")
      expect(yield* join).toMatchObject({ _tag: "Success" })
    })
  )

  it.effect("in flight is not interrupted by the expiry", () =>
    Effect.gen(function* () {
      const server = gateway({
        session: () => ({ expires_at: "1970-01-01T00:00:10Z" }),
        linked: (...args) => Effect.delay(answer(200, { following: true })(...args), "30 seconds")
      })
      const { join } = yield* forkCall(program(server)(input), server)
      yield* TestClock.adjust("9 seconds")
      server.it.approved = true
      yield* TestClock.adjust("1 minute")
      expect(yield* join).toMatchObject({ success: { following: true } })
    })
  )

  it.effect("that is refused after a confirmed link fails, and the user is not asked again", () =>
    Effect.gen(function* () {
      const server = gateway()
      const confirmed = yield* Deferred.make<void, Closed>()
      yield* Deferred.succeed(confirmed, undefined)
      expect(yield* Effect.flip(Effect.provide(program(server, { confirmed })(input), server.layer))).toMatchObject({
        _tag: "Forbidden",
        code: "missing_scope"
      })
      expect(server.what()).toEqual(["write", "write", "start", "show", "confirm", "write"])
    })
  )

  it.effect.each([
    [403, undefined, "Forbidden"],
    [403, "blocked_by_user", "Forbidden"],
    [401, "invalid_credential", "Unauthenticated"],
    [402, "over_cap", "OverBudget"]
  ] as const)("that is refused with %s %s does not start a link", ([status, code, tag]) =>
    Effect.gen(function* () {
      const server = gateway({ unlinked: refusal(status, code) })
      expect((yield* Effect.flip(Effect.provide(program(server)(input), server.layer)))._tag).toBe(tag)
      expect(server.what()).toEqual(["write"])
    })
  )

  it.effect("treats other 403s as a missing link if `needsLink` says so", () =>
    Effect.gen(function* () {
      const server = gateway({ unlinked: refusal(403, "no_session") })
      const needsLink = ({ code }: { readonly code?: string }) => code === "no_session"
      const { fiber } = yield* forkCall(program(server, { needsLink })(input), server)
      yield* TestClock.adjust("1 second")
      expect(server.it.starts).toBe(1)
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("fails at once with any other error", () =>
    Effect.gen(function* () {
      const unlinked = inOrder(refusal(403, "missing_scope"), refusal(403, "missing_scope"), refusal(402, "over_cap"))
      const server = gateway({ unlinked })
      const { join } = yield* forkCall(program(server)(input), server)
      yield* TestClock.adjust("4 seconds")
      expect(yield* join).toMatchObject({ failure: { _tag: "OverBudget" } })
    })
  )

  it.effect("keeps the caller's idempotency key for every attempt", () =>
    Effect.gen(function* () {
      const server = gateway({ unlinked: inOrder(refusal(403, "missing_scope"), answer(200)) })
      yield* program(server)(input).pipe(withIdempotencyKey("order 7"), Effect.provide(server.layer))
      expect(server.sent.map(({ request }) => request.headers["idempotency-key"])).toEqual(["order 7", "order 7"])
    })
  )

  it("is a function that returns a promise, for programs without Effect", async () => {
    const server = gateway({ unlinked: inOrder(refusal(403, "missing_scope"), answer(200, { following: true })) })
    const api = promises({ follow: withLink({ open: () => Effect.void })(follow) }, server.layer)
    expect(await api.follow(input)).toEqual({ following: true })
    await api.close()
  })

  it("has the errors of the write, the link and the program, and only takes operations that declare 403", () => {
    const linked = withLink({ open: () => Effect.fail(new Closed()) })(follow)
    expectTypeOf<Effect.Error<ReturnType<typeof linked>>>().toEqualTypeOf<
      CallError<typeof followOperation> | LinkError | Closed
    >()
    expectTypeOf<Effect.Services<ReturnType<typeof linked>>>().toEqualTypeOf<Client>()
    // @ts-expect-error: rerank needs no linked account
    expect(withLink({ open: () => Effect.void })(rerank)).toBeTypeOf("function")
  })
})

describe("writes that wait at the same time", () => {
  it.effect("share one link, and each is sent once afterwards", () =>
    Effect.gen(function* () {
      let made = 0
      const server = gateway({
        linked: (...args) => Effect.suspend(() => (made++, answer(200, { following: true })(...args)))
      })
      const write = program(server)
      const { join } = yield* forkCall(
        Effect.all(
          Array.from({ length: 10 }, () => write(input)),
          { concurrency: "unbounded" }
        ),
        server
      )
      yield* TestClock.adjust("10 seconds")
      // Each is repeated at once, and polls twice.
      expect([server.it.starts, seconds(server, "write").length]).toEqual([1, 10 * 4])
      server.it.approved = true
      yield* TestClock.adjust("2 seconds")
      expect(yield* join).toMatchObject({ _tag: "Success" })
      expect([made, server.it.starts, seconds(server, "show")]).toEqual([10, 1, [0]])
    })
  )

  it.effect("share its failure", () =>
    Effect.gen(function* () {
      const server = gateway()
      const confirmed = yield* Deferred.make<void, Closed>()
      const write = program(server, { confirmed })
      const { join } = yield* forkCall(
        Effect.all([Effect.flip(write(input)), Effect.flip(write(input)), Effect.flip(write(input))], {
          concurrency: "unbounded"
        }),
        server
      )
      yield* TestClock.adjust("1 second")
      yield* Deferred.fail(confirmed, new Closed())
      expect(yield* join).toMatchObject({ success: [{ _tag: "Closed" }, { _tag: "Closed" }, { _tag: "Closed" }] })
      expect(server.it.starts).toBe(1)
    })
  )

  it.effect("do not share the error of one of them", () =>
    Effect.gen(function* () {
      let count = 0
      // The first poll after the address was shown is refused.
      const unlinked = inOrder(
        ...Array.from({ length: 4 }, () => refusal(403, "missing_scope")),
        refusal(402, "over_cap"),
        refusal(403, "missing_scope")
      )
      const server = gateway({ unlinked, linked: (...args) => (count++, answer(200)(...args)) })
      const write = program(server)
      const results = Effect.all([Effect.result(write(input)), Effect.result(write(input))], { concurrency: 2 })
      const { join } = yield* forkCall(results, server)
      yield* TestClock.adjust("6 seconds")
      server.it.approved = true
      yield* TestClock.adjust("4 seconds")
      const ended = yield* join
      expect(ended).toMatchObject({ success: [{ failure: { _tag: "OverBudget" } }, { _tag: "Success" }] })
      expect([count, server.it.starts, seconds(server, "show")]).toEqual([1, 1, [0]])
    })
  )

  it.effect("continue with the shown address when the one that started the link is interrupted", () =>
    Effect.gen(function* () {
      const server = gateway()
      const write = program(server)
      const { join } = yield* forkCall(
        Effect.gen(function* () {
          const one = yield* Effect.forkChild(write(input))
          yield* Effect.sleep("1 second")
          const two = yield* Effect.forkChild(write(input))
          yield* Effect.sleep("1 second")
          yield* Fiber.interrupt(one)
          return yield* Fiber.join(two)
        }),
        server
      )
      yield* TestClock.adjust("2 seconds")
      server.it.approved = true
      yield* TestClock.adjust("4 seconds")
      expect(yield* join).toMatchObject({ success: { following: true } })
      expect([server.it.starts, seconds(server, "write")]).toEqual([1, [0, 0, 1, 1, 5]])
    })
  )

  it.effect("of two clients link separately", () =>
    Effect.gen(function* () {
      const server = gateway()
      const write = program(server)
      const one = yield* forkCall(write(input), server)
      const two = yield* forkCall(write(input), server)
      yield* TestClock.adjust("1 second")
      expect(server.it.starts).toBe(2)
      yield* Fiber.interrupt(one.fiber)
      yield* Fiber.interrupt(two.fiber)
    })
  )

  it.effect("start a new link after all were interrupted", () =>
    Effect.gen(function* () {
      const server = gateway()
      const write = program(server)
      const { fiber } = yield* forkCall(
        Effect.gen(function* () {
          yield* Effect.timeoutOption(write(input), "5 seconds")
          yield* write(input)
        }),
        server
      )
      yield* TestClock.adjust("6 seconds")
      expect(seconds(server, "show")).toEqual([0, 5])
      yield* Fiber.interrupt(fiber)
    })
  )
})
