import { codes } from "@tollgate/contract/errors/codes"
import { fromMicros } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import { one } from "@tollgate/contract/price/Price"
import * as Clock from "effect/Clock"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import { ownerOf } from "../credential/Keys.ts"
import type { Priced } from "../Exchange.ts"
import { Ledger, type Reservation } from "../ledger/Ledger.ts"
import { refuse, Refused } from "../Refused.ts"
import * as Rows from "../store/rows.ts"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import type { Whole } from "../upstream/Called.ts"
import type { Provider } from "../upstream/Provider.ts"
import { accepted, bare, polled } from "./answers.ts"
import { Pace } from "./Pace.ts"
import { Places } from "./Places.ts"
import { bodyOf, readAccepted } from "./seen.ts"
import type { Begun, Running } from "./Task.ts"
import * as TaskRows from "./TaskRows.ts"
import { Tasks } from "./Tasks.ts"
import * as Watcher from "./Watcher.ts"

export interface Options {
  /** The upstream of this name, as it is configured now. */
  readonly provider: (name: string) => Provider | undefined
}

const free: Charge = { state: "none" }

const ids = /^task_[0-9a-f]{32}$/

const storeFailed = () =>
  refuse("billing_unavailable", "The store of tasks is not available; nothing was executed.", { retryAfter: 1_000 })

const noTask = () =>
  refuse("upstream_failed", "The upstream took the call and named no task; whether it was executed is not known.")

const tooFast = (wait: number) =>
  refuse("rate_limit_exceeded", "The task is polled more than twice in a second.", { retryAfter: wait })

/** What the whole task costs by the price of this moment; where that is no price by task, what was reserved. */
const termsOf = ({ price, principal }: Priced, { amount }: Reservation): Pick<Begun, "price" | "multiplier"> =>
  price.contract === "per_task" && price.amount !== "pending"
    ? { price: price.amount, multiplier: principal?.multiplier ?? one }
    : { price: fromMicros(amount), multiplier: one }

const make = Effect.fnUntraced(function* ({ provider }: Options) {
  const rows = Rows.make(yield* SqlClient)
  const random = yield* SecureRandom
  const ledger = yield* Ledger
  const tasks = TaskRows.make(rows)
  const watcher = yield* Watcher.make(tasks, ledger, yield* Carrier, provider)
  const places = new Places(tasks.callsOf)
  const pace = new Pace()

  const admit = Effect.fnUntraced(
    function* ({ operation, principal, requestId }: Priced) {
      const purse = principal === undefined ? "" : ownerOf(principal)
      yield* places.take(purse, requestId, operation.limit.tasks ?? Infinity)
      return purse
    },
    Effect.mapError((error) => (error instanceof Refused ? error : storeFailed()))
  )

  const unnamed = (reservation: Reservation) => Effect.andThen(ledger.markUnknown(reservation), Effect.fail(noTask()))

  const begin = Effect.fnUntraced(function* (
    exchange: Priced,
    reservation: Reservation,
    { answer, provider }: Whole,
    purse: string
  ) {
    const seen = readAccepted(answer.bytes)
    if (seen === undefined) return yield* unnamed(reservation)
    const id = `task_${Hex.encode(yield* random.randomBytes(16))}`
    const createdAt = yield* Clock.currentTimeMillis
    const task: Running = {
      id,
      upstream: seen.id,
      provider,
      purse,
      ...termsOf(exchange, reservation),
      status: seen.status,
      body: bodyOf(id, seen, createdAt, createdAt),
      reservation: { ...reservation, keepAnswer: false },
      createdAt
    }
    const told = accepted(answer, seen, id, exchange.requestId)
    const charge = yield* ledger.begin(reservation, task, told)
    if (charge.state === "pending") yield* watcher.begun(task)
    return { answer: told, charge }
  })

  return Tasks.of({
    create: Effect.fnUntraced(function* (exchange, reservation, call) {
      const purse = yield* Effect.tapError(admit(exchange), ({ refusal: { code } }) =>
        ledger.release(reservation, codes[code].status)
      )
      const carriedOut = Effect.flatMap(call, (called) => {
        if (called.kind === "stream") return unnamed(reservation)
        const { answer } = called
        return answer.status >= 200 && answer.status < 300
          ? begin(exchange, reservation, called, purse)
          : Effect.as(ledger.release(reservation, answer.status), { answer, charge: free })
      })
      return yield* Effect.ensuring(
        carriedOut,
        Effect.sync(() => places.give(purse, exchange.requestId))
      )
    }),

    poll: Effect.fnUntraced(function* ({ input, principal, requestId }) {
      const id = String(input.path["task_id"])
      const account = principal?.account ?? ""
      const now = yield* Clock.currentTimeMillis
      // By who asks and for what, not by what there is: nothing is learned about another's task.
      const wait = pace.wait(`${account} ${id}`, now)
      if (wait > 0) return yield* tooFast(wait)
      const known = watcher.get(id)
      let watched = known?.task.reservation.account === account ? known : undefined
      if (watched === undefined) {
        const found = ids.test(id) ? yield* Effect.mapError(tasks.find(id, account, now), storeFailed) : Option.none()
        if (Option.isNone(found)) return polled(bare(id, "UNKNOWN"), requestId)
        if (found.value.kind === "ended") return polled(found.value.body, requestId)
        watched = yield* watcher.found(found.value.task)
      }
      yield* watcher.refresh(watched)
      return polled(watched.body, requestId)
    })
  })
})

export const layer = (options: Options): Layer.Layer<Tasks, never, SqlClient | SecureRandom | Ledger | Carrier> =>
  Layer.effect(Tasks, make(options))
