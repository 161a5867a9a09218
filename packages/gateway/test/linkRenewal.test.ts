import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import * as Renewal from "../src/link/renewal.ts"
import type { Session } from "../src/link/sessions.ts"

const session = (token: string, endsAt: number): Session => ({
  owner: "o",
  scopes: [],
  access: Redacted.make(token),
  refresh: Redacted.make(`${token} refresh`),
  endsAt,
  mark: new Uint8Array()
})

const granted = { access: Redacted.make("new"), refresh: undefined, lifetimeMillis: 7_200_000, scopes: undefined }

const failure = new SqlError({ reason: new ConnectionError({ cause: "busy", message: "busy", operation: "execute" }) })

/** Sessions as the store would tell of them one after the other, and a store that fails to renew so many times. */
const world = Effect.fnUntraced(function* (told: ReadonlyArray<Session>, failures = 0) {
  const seen = { finds: 0, refreshes: 0, renews: 0 }
  const current = Renewal.make(
    {
      find: () => Effect.sync(() => Option.fromNullishOr(told[Math.min(seen.finds++, told.length - 1)])),
      renew: () => Effect.suspend(() => (seen.renews++ < failures ? Effect.fail(failure) : Effect.succeed(true))),
      store: () => Effect.die("unused"),
      drop: () => Effect.die("unused"),
      expire: () => Effect.die("unused")
    },
    {
      exchange: () => Effect.die("unused"),
      refresh: () => Effect.sync(() => (seen.refreshes++, granted))
    },
    yield* Effect.scope
  )
  return { current, seen }
})

it.effect("who saw a session before it was renewed takes it as it is after, and does not renew it again", () =>
  Effect.gen(function* () {
    const { current, seen } = yield* world([session("old", 0), session("renewed", 7_200_000)])
    expect(Redacted.value((yield* current("o")).access)).toBe("renewed")
    expect(seen.refreshes).toBe(0)
  })
)

it.effect("tokens that were handed out are stored though the store is busy: they are not handed out again", () =>
  Effect.gen(function* () {
    const { current, seen } = yield* world([session("old", 0)], 4)
    const waiting = yield* Effect.forkChild(current("o"))
    yield* TestClock.adjust("5 seconds")
    expect(waiting.pollUnsafe()).toMatchObject({ value: { endsAt: expect.any(Number) } })
    expect([seen.refreshes, seen.renews]).toEqual([1, 5])
  })
)

it.effect("a store that stays away is told as what it is", () =>
  Effect.gen(function* () {
    const { current } = yield* world([session("old", 0)], 100)
    const waiting = yield* Effect.forkChild(Effect.flip(current("o")))
    yield* TestClock.adjust("5 seconds")
    expect(waiting.pollUnsafe()).toMatchObject({ value: { refusal: { code: "billing_unavailable" } } })
  })
)
