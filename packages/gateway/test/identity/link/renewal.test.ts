import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import * as Renewal from "../../../src/identity/link/renewal.ts"
import type { Session } from "../../../src/identity/link/sessions.ts"

const session = (token: string, endsAt: number): Session => ({
  owner: "o",
  scopes: [],
  access: Redacted.make(token),
  refresh: Redacted.make(`${token} refresh`),
  endsAt,
  storedAccess: new Uint8Array(),
  linkedAt: 0
})

const response = { access: Redacted.make("new"), refresh: undefined, lifetimeMillis: 7_200_000, scopes: undefined }

const failure = new SqlError({ reason: new ConnectionError({ cause: "busy", message: "busy", operation: "execute" }) })

/** `stored` is what the store returns, one read after the other. Its first `failures` renewals fail. */
const setup = Effect.fnUntraced(function* (stored: ReadonlyArray<Session>, failures = 0) {
  const calls = { finds: 0, refreshes: 0, renews: 0 }
  const current = Renewal.make(
    {
      find: () => Effect.sync(() => Option.fromNullishOr(stored[Math.min(calls.finds++, stored.length - 1)])),
      renew: () => Effect.suspend(() => (calls.renews++ < failures ? Effect.fail(failure) : Effect.succeed(true))),
      store: () => Effect.die("unused"),
      drop: () => Effect.die("unused"),
      expire: () => Effect.die("unused"),
      remove: () => Effect.die("unused")
    },
    {
      exchange: () => Effect.die("unused"),
      refresh: () => Effect.sync(() => (calls.refreshes++, response))
    },
    yield* Effect.scope,
    () => (effect) => effect
  )
  return { current, calls }
})

it.effect("a session that was renewed since it was read is not renewed again", () =>
  Effect.gen(function* () {
    const { current, calls } = yield* setup([session("old", 0), session("renewed", 7_200_000)])
    expect(Redacted.value((yield* current("o")).access)).toBe("renewed")
    expect(calls.refreshes).toBe(0)
  })
)

it.effect("storing renewed tokens is retried while the store is busy, since the platform issues them once", () =>
  Effect.gen(function* () {
    const { current, calls } = yield* setup([session("old", 0)], 4)
    const waiting = yield* Effect.forkChild(current("o"))
    yield* TestClock.adjust("5 seconds")
    expect(waiting.pollUnsafe()).toMatchObject({ value: { endsAt: expect.any(Number) } })
    expect([calls.refreshes, calls.renews]).toEqual([1, 5])
  })
)

it.effect("a store that stays unavailable is reported as billing_unavailable", () =>
  Effect.gen(function* () {
    const { current } = yield* setup([session("old", 0)], 100)
    const waiting = yield* Effect.forkChild(Effect.flip(current("o")))
    yield* TestClock.adjust("5 seconds")
    expect(waiting.pollUnsafe()).toMatchObject({ value: { refusal: { code: "billing_unavailable" } } })
  })
)
