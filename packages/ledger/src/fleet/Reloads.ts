import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { SqlClient } from "effect/sql/SqlClient"
import { describeSqlError, make as makeRows } from "../store/rows.ts"
import { newOwner } from "./Fleet.ts"
import { listen, notify } from "./Notices.ts"

const name = "reload"

/**
 * A reload of the configuration on one gateway makes the others read theirs. The last one is kept in the store, so that a
 * gateway whose connection was lost finds out afterwards.
 */
export const make = Effect.fnUntraced(function* (reload: Effect.Effect<unknown>) {
  const sql = yield* SqlClient
  const random = yield* SecureRandom
  const rows = makeRows(sql)
  const stored = Effect.map(rows.fact(name), (value = "") => value)
  const requests = yield* Queue.sliding<string | undefined>(8)
  yield* listen((notice) => {
    if (notice.kind === "config") Queue.offerUnsafe(requests, notice.reload)
    if (notice.kind === "missed") Queue.offerUnsafe(requests, undefined)
  })
  let known = yield* stored

  yield* Queue.take(requests).pipe(
    Effect.flatMap((told) => (told === undefined ? stored : Effect.succeed(told))),
    Effect.flatMap((asked) => {
      if (asked === known) return Effect.void
      known = asked
      return reload
    }),
    Effect.ignore,
    Effect.forever,
    Effect.forkScoped
  )

  const tell = Effect.gen(function* () {
    const asked = yield* Effect.provideService(newOwner, SecureRandom, random)
    known = asked
    yield* rows.setFact(name, asked)
    yield* notify(sql, { kind: "config", reload: asked })
  })

  /** Tells the other gateways that this one has read its file again. */
  return Effect.ignore(
    Effect.tapError(sql.withTransaction(tell), (error) =>
      Effect.logWarning("the other gateways were not told to reload", describeSqlError(error))
    )
  )
})
