import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { SqlClient } from "effect/sql/SqlClient"
import { encodeError } from "../ledger/Command.ts"

/** A call of a known key that was refused before anything was reserved for it. */
export interface RefusedCall {
  readonly id: string
  readonly account: string
  readonly key: string
  /** Empty: no operation has its path. */
  readonly operation: string
  readonly model: string | undefined
  readonly status: number
  readonly code: string
  readonly message: string
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly endedAt: number
}

/** Puts refused calls into the call log, beside the path: a crash loses those of the last second. */
export class RefusedCalls extends Context.Service<RefusedCalls, { readonly add: (refused: RefusedCall) => void }>()(
  "@tollgate/ledger/RefusedCalls"
) {}

const writeEvery = "1 second"
/** More of one account in that time are not logged. */
const mostAtOnce = 50
/** More accounts than that wait for a store that does not answer: the others are not logged. */
const mostAccounts = 1_000
/** Of an account. The newest stay. */
const mostKept = 2_000
const keptMillis = 30 * 86_400_000
const sweepEvery = "1 hour"

const longestModel = 200

/** A caller chooses the name of a model freely. */
const modelOf = ({ model }: RefusedCall): string | null =>
  model === undefined || model.length > longestModel || /\p{Cc}/u.test(model) || !model.isWellFormed() ? null : model

/** No gateway owns it, which tells it from a call that was refused after it was reserved. */
const rowOf = (refused: RefusedCall) => ({
  id: refused.id,
  account: refused.account,
  key: refused.key,
  operation: refused.operation,
  model: modelOf(refused),
  state: "refused",
  reserved: 0,
  created_at: refused.createdAt,
  owner: "",
  ended_at: refused.endedAt,
  status: refused.status,
  error: encodeError(refused)
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient
  let waiting = new Map<string, Arr.NonEmptyArray<RefusedCall>>()

  const write = Effect.fnUntraced(function* (account: string, refused: Arr.NonEmptyReadonlyArray<RefusedCall>) {
    yield* sql`INSERT INTO calls ${sql.insert(Arr.map(refused, rowOf))} ON CONFLICT (id) DO NOTHING`
    yield* sql`DELETE FROM calls WHERE owner = '' AND account = ${account} AND ended_at <
      (SELECT ended_at FROM calls WHERE owner = '' AND account = ${account} ORDER BY ended_at DESC LIMIT 1 OFFSET ${mostKept - 1})`
  })

  // One account at a time: a billed call waits for one short statement at most.
  const writeAll = Effect.suspend(() => {
    const all = waiting
    waiting = new Map()
    return Effect.forEach(all, ([account, refused]) => Effect.ignore(write(account, refused)), { discard: true })
  })

  const sweep = Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) - keptMillis
    yield* sql`DELETE FROM calls WHERE owner = '' AND ended_at < ${until}`
  })

  yield* Effect.addFinalizer(() => writeAll)
  yield* writeAll.pipe(Effect.repeat(Schedule.spaced(writeEvery)), Effect.forkScoped)
  yield* Effect.ignore(sweep).pipe(Effect.repeat(Schedule.spaced(sweepEvery)), Effect.forkScoped)

  return RefusedCalls.of({
    add: (refused) => {
      const others = waiting.get(refused.account)
      if (others === undefined && waiting.size < mostAccounts) waiting.set(refused.account, [refused])
      else if (others !== undefined && others.length < mostAtOnce) others.push(refused)
    }
  })
})

export const layer: Layer.Layer<RefusedCalls, never, SqlClient> = Layer.effect(RefusedCalls, make)
