import { read } from "@tollgate/contract/price/exact"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { ownerOf, type Principal } from "@tollgate/ledger/credential/Keys"
import type { Decoded, Priced } from "../../exchange/Exchange.ts"
import { Ledger, type Reservation } from "@tollgate/ledger/ledger/Ledger"
import { type Answer, type Builtin, type BuiltinAnswer, json } from "../../exchange/Reply.ts"
import { refuse, Refused, unavailable } from "@tollgate/contract/errors/Refused"
import type { Called, Whole } from "../../upstream/Called.ts"
import type { ListedTask, RunningTask, StartedTask, TaskTerm } from "@tollgate/ledger/ledger/Task"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { fromMicros, zero } from "@tollgate/contract/Money"
import { contractOf } from "@tollgate/contract/price/contracts"
import { encodeAtEnd } from "@tollgate/contract/price/contracts/perTask"
import { isFree, one, type Price } from "@tollgate/contract/price/Price"
import * as Clock from "effect/Clock"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SqlClient } from "effect/sql/SqlClient"
import type { Bound } from "@tollgate/contract/Operation"
import * as Fleet from "@tollgate/ledger/fleet/Fleet"
import { set } from "../../internal/jsonEdit.ts"
import { tryParse } from "../../internal/jsonValue.ts"
import { failing, scrubbedFailure } from "../Ending.ts"
import { atCost } from "../steps/13-meter.ts"
import { endUncharged } from "../steps/15-settle.ts"
import * as Rows from "@tollgate/ledger/store/rows"
import type { Protocol, TaskProtocol } from "../../upstream/Protocol.ts"
import * as Protocols from "../../upstream/Endpoint.ts"
import {
  customAnswerIn,
  customTaskProtocol,
  statusBody,
  taskBody,
  taskProtocol,
  unknownAnswer
} from "../../upstream/protocols/task.ts"
import { type WatchedTask, WatchSettings } from "./WatchedTask.ts"
import type { Provider } from "../../upstream/Provider.ts"
import * as Records from "@tollgate/ledger/commit/taskRows"
import { taskSlots } from "./taskSlots.ts"
import * as Watcher from "./Watcher.ts"
import { polling } from "@tollgate/contract/Task"
import { NameLimit } from "../../limits/NameLimit.ts"

export interface Created {
  readonly answer: Answer
  readonly charge: Charge
}

/** Calls whose work continues after they are answered. */
export class Tasks extends Context.Service<
  Tasks,
  {
    /**
     * Starts a task. The reservation stays open until the task ends. `call` asks the upstream, and ends the reservation
     * itself if that fails. Over the limit of concurrent tasks the create is refused with 429 before anything is sent, and
     * the reservation is released.
     */
    readonly create: (
      exchange: Priced,
      reservation: Reservation,
      call: Effect.Effect<Called, Refused>,
      ledger: Ledger["Service"]
    ) => Effect.Effect<Created, Refused>
    /** Answers with the status of a task, to the account that created it. */
    readonly poll: Builtin
    /** The same in the upstream's own form, for the tasks of one operation. */
    readonly pollOwn: Builtin
    /** Asks the upstream to stop a task, and answers like `pollOwn`. What the task costs is decided by its end. */
    readonly cancelOwn: Builtin
    /** What started a task of the caller's account. Asks no upstream. `undefined`: the account has no such task. */
    readonly find: (
      principal: Principal,
      id: string
    ) => Effect.Effect<(TaskTerm & { readonly expiresAt: number }) | undefined, Refused>
    /** The tasks of the caller's account, the newest first. `isOwn`: only those of the caller's owner. */
    readonly list: (principal: Principal, isOwn: boolean) => Effect.Effect<ReadonlyArray<ListedTask>, Refused>
    /** How many tasks of the caller's owner run, or are being started. */
    readonly running: (principal: Principal) => Effect.Effect<number, Refused>
  }
>()("@tollgate/gateway/Tasks") {}

/** Of each task: two polls at once, for callers with an uneven clock, and two per second on average. */
export const pollLimit = { burst: 2, perMinute: 60_000 / polling.floorMillis }

export interface Options {
  /** The upstream of this name in the current configuration. */
  readonly provider: (name: string) => Provider | undefined
  /** The operation of this id in the current configuration. Default: it is as its tasks began. */
  readonly operation?: (id: string) => Pick<Bound, "task"> | undefined
  /** In place of the gateway's own. */
  readonly protocols?: ReadonlyArray<Protocol>
}

const idPattern = /^task_[0-9a-f]{32}$/

const storeFailed = () => unavailable("The task store is not available; nothing was executed.")

const noTask = () =>
  refuse(
    "answer_not_metered",
    "The upstream accepted the call but named no task, so the answer is not delivered and nothing is charged. It may have started one: tell the operator the request id before you repeat it."
  )

const anothersTask = () =>
  refuse(
    "answer_not_metered",
    "The upstream answered with the task of another call, so the answer is not delivered and nothing is charged. Tell the operator the request id before you repeat it."
  )

const tooFast = (wait: number) =>
  refuse("rate_limit_exceeded", "The task is polled more than twice in a second; every three seconds is enough.", {
    retryAfter: wait,
    limit: "polls"
  })

/** The upstream says that it started nothing. */
const declaresFailure = ({ bytes }: Answer): boolean => read(tryParse(bytes), ["success"]) === false

/** By the operator's description. A protocol without a task shape of its own uses the contract's. */
const taskProtocolOf = ({ task }: Pick<Bound, "task">, protocol: Protocol | undefined): TaskProtocol =>
  task === undefined ? (protocol?.task ?? taskProtocol) : customTaskProtocol(task)

const idIn = ({ input }: Decoded): string => String(input.path["task_id"])

const accountOf = ({ principal }: Decoded): string => principal?.account ?? ""

/** What is known of a task. */
interface Seen {
  readonly operation: string
  readonly body: string
  readonly charge?: Charge
  /** Missing once it has ended. */
  readonly watched?: WatchedTask
}

const isOf = ({ operation }: Decoded, seen: Seen): boolean => seen.operation === operation.ofTask?.create

const notFound = () => refuse("route_not_found", "Your account has no task with this id, or it ended days ago.")

const notCanceled = (asked: "refused" | "failed" | undefined) =>
  asked === "refused"
    ? refuse("invalid_request", "The upstream does not cancel this task now. It goes on, and is charged by its end.")
    : refuse("upstream_failed", "The upstream could not be asked to cancel the task. Try again, or wait for its end.")

const ownAnswer = (exchange: Decoded, seen: Seen | undefined): Effect.Effect<BuiltinAnswer, Refused> => {
  const { ofTask } = exchange.operation
  if (seen === undefined || ofTask === undefined || !isOf(exchange, seen)) return Effect.fail(notFound())
  const bytes = customAnswerIn(seen.body) ?? unknownAnswer(ofTask.task, idIn(exchange))
  return Effect.succeed({
    ...json("", { "cache-control": "no-store" }),
    bytes,
    ...(seen.charge === undefined ? {} : { charge: seen.charge })
  })
}

const fixedAmountOf = (price: Price) => {
  const fixed = contractOf(price).fixedAmount?.(price)
  return fixed === "pending" ? undefined : fixed
}

const atEndOf = (price: Price): string | undefined =>
  price.contract === "per_task" && price.atEnd !== undefined ? encodeAtEnd(price.atEnd) : undefined

/** The price of the whole task at this moment. An operation without a fixed price costs what was reserved. */
const termsOf = (
  { price, principal }: Priced,
  { amount }: Reservation
): Pick<StartedTask, "price" | "multiplier" | "terms"> => {
  const fixed = fixedAmountOf(price)
  return fixed === undefined
    ? { price: fromMicros(amount), multiplier: one }
    : { price: fixed, multiplier: principal?.multiplier ?? one, terms: atEndOf(price) }
}

/** What the upstream charges for the whole task at this moment, if it has a price for that. */
const costTermsOf = (exchange: Priced, { costs, sentModel = exchange.model }: Whole) => {
  const price = costs && atCost(costs, exchange, sentModel)?.price
  const cost = price && (isFree(price) ? zero : fixedAmountOf(price))
  return cost === undefined || price === undefined ? {} : { cost, costTerms: atEndOf(price) }
}

const pollAnswer = (body: string, requestId: string, charge?: Charge): BuiltinAnswer => {
  const answer = json(body, { "cache-control": "no-store" })
  const bytes = set(answer.bytes, ["request_id"], JSON.stringify(requestId))
  return { ...answer, bytes, ...(charge === undefined ? {} : { charge }) }
}

const make = Effect.fnUntraced(function* ({
  operation: operationOf = () => ({}),
  protocols = Protocols.protocols,
  provider: providerOf
}: Options) {
  const random = yield* SecureRandom
  const ledger = yield* Ledger
  const sql = yield* SqlClient
  const records = Records.make(Rows.make(sql))
  const protocolsById = new Map(protocols.map((protocol) => [protocol.id, protocol]))
  const watcher = yield* Watcher.make(records, ledger, yield* Carrier, yield* Fleet.current, (task) => {
    const provider = providerOf(task.provider)
    const operation = operationOf(task.reservation.operation)
    return (
      provider && operation && { provider, protocol: taskProtocolOf(operation, protocolsById.get(provider.protocol)) }
    )
  })
  const slots = taskSlots(sql)
  const polls = new NameLimit(pollLimit)
  const { keptMillis } = yield* WatchSettings

  const acquireSlot = ({ operation, requestId }: Priced, owner: string) =>
    Effect.mapError(slots.acquire(owner, requestId, operation.limit.tasks ?? Infinity), (error) =>
      error instanceof Refused ? error : storeFailed()
    )

  const failWithoutTask = (ledger: Ledger["Service"], reservation: Reservation, called: Called) =>
    Effect.suspend(() => {
      const refused = noTask()
      const { provider, tried } = called
      return Effect.andThen(
        ledger.markUnknown(reservation, { provider, tried, error: refused.refusal }),
        Effect.fail(refused)
      )
    })

  const start = Effect.fnUntraced(function* (
    ledger: Ledger["Service"],
    exchange: Priced,
    reservation: Reservation,
    called: Whole,
    owner: string
  ) {
    const { answer, protocol, provider } = called
    const { createdAnswer, readCreated } = taskProtocolOf(exchange.operation, protocol)
    const report = readCreated(answer)
    if (report === undefined) return yield* failWithoutTask(ledger, reservation, called)
    const id = `task_${Hex.encode(yield* random.randomBytes(16))}`
    const createdAt = yield* Clock.currentTimeMillis
    const task: RunningTask = {
      id,
      upstreamId: report.id,
      provider,
      owner,
      ...termsOf(exchange, reservation),
      ...costTermsOf(exchange, called),
      status: report.status,
      body: taskBody(id, report, createdAt, createdAt),
      reservation: { ...reservation, keepAnswer: false },
      createdAt
    }
    const created = createdAnswer(answer, id, exchange.requestId)
    const charge = yield* ledger.begin(reservation, task, created, called)
    if (charge.state === "unknown") {
      const { call } = reservation
      yield* Effect.logWarning("an upstream answered with the task of another call", { call, provider })
      return yield* anothersTask()
    }
    if (charge.state === "pending") yield* watcher.addCreated(task)
    return { answer: created, charge }
  })

  const findIn = (exchange: Decoded, now: number) =>
    Effect.mapError(records.find(idIn(exchange), accountOf(exchange), now), storeFailed)

  const seenIn = Effect.fnUntraced(function* (exchange: Decoded, watched: WatchedTask) {
    const { operation } = watched.task.reservation
    if (!watched.isFinished) return { operation, body: watched.body, watched }
    // The end is stored before it is shown, and with it the cost.
    const now = yield* Clock.currentTimeMillis
    const ended = Option.getOrUndefined(Option.flatten(yield* Effect.option(findIn(exchange, now))))
    return { operation, body: watched.body, watched, ...(ended?.kind === "finished" ? { charge: ended.charge } : {}) }
  })

  /** What is known of the caller's task. `undefined`: the caller has no such task, or it is forgotten. */
  const look = Effect.fnUntraced(function* (exchange: Decoded): Effect.fn.Return<Seen | undefined, Refused> {
    const id = idIn(exchange)
    const account = accountOf(exchange)
    const now = yield* Clock.currentTimeMillis
    // The limit applies to every id, so that a refusal does not tell whether another account's task exists.
    const wait = polls.take(`${account} ${id}`, now)
    if (wait > 0) return yield* tooFast(wait)
    const known = watcher.get(id)
    let watched = known?.task.reservation.account === account ? known : undefined
    if (watched === undefined) {
      const found = Option.getOrUndefined(idPattern.test(id) ? yield* findIn(exchange, now) : Option.none())
      if (found === undefined || found.kind === "finished") return found
      if (found.kind === "given up") {
        watched = watcher.visit(found.task)
        yield* watcher.refresh(watched)
        const { body, reservation } = found.task
        if (!watched.isFinished) return { operation: reservation.operation, body, charge: { state: "unknown" } }
      } else {
        watched = yield* watcher.addStored(found.task, found.gateway)
      }
    }
    yield* watcher.refresh(watched)
    return yield* seenIn(exchange, watched)
  })

  return Tasks.of({
    find: Effect.fnUntraced(function* ({ account }, id) {
      if (!idPattern.test(id)) return undefined
      const now = yield* Clock.currentTimeMillis
      const term = yield* Effect.mapError(records.termOf(id, account, now), storeFailed)
      return term && { ...term, expiresAt: term.expiresAt ?? now + keptMillis }
    }),

    list: Effect.fnUntraced(function* (principal, isOwn) {
      const now = yield* Clock.currentTimeMillis
      return yield* Effect.mapError(
        records.startedBy(principal.account, isOwn ? ownerOf(principal) : undefined, now),
        storeFailed
      )
    }),

    running: (principal) => Effect.mapError(slots.running(ownerOf(principal)), storeFailed),

    create: Effect.fnUntraced(function* (exchange, reservation, call, ledger) {
      const owner = exchange.principal === undefined ? "" : ownerOf(exchange.principal)
      yield* Effect.tapError(acquireSlot(exchange, owner), ({ refusal }) =>
        ledger.refuse(reservation, { error: refusal })
      )
      return yield* Effect.flatMap(call, (called) => {
        if (called.kind === "stream") return failWithoutTask(ledger, reservation, called)
        if (called.answer.status >= 200 && called.answer.status < 300 && !declaresFailure(called.answer)) {
          return start(ledger, exchange, reservation, called, owner)
        }
        const failed = scrubbedFailure(called)
        const { answer } = failed
        return Effect.map(
          endUncharged(ledger)(exchange, reservation, answer.status, failing(exchange, failed)),
          (charge) => ({
            answer,
            charge
          })
        )
      })
    }),

    poll: Effect.fnUntraced(function* (exchange) {
      const id = idIn(exchange)
      const { body = statusBody(id, "UNKNOWN"), charge } = (yield* look(exchange)) ?? {}
      return pollAnswer(body, exchange.requestId, charge)
    }),

    pollOwn: (exchange) => Effect.flatMap(look(exchange), (seen) => ownAnswer(exchange, seen)),

    cancelOwn: Effect.fnUntraced(function* (exchange) {
      const seen = yield* look(exchange)
      if (seen?.watched !== undefined && !seen.watched.isFinished && isOf(exchange, seen)) {
        const asked = yield* watcher.cancel(seen.watched)
        if (asked !== "asked") return yield* notCanceled(asked)
        return yield* ownAnswer(exchange, yield* seenIn(exchange, seen.watched))
      }
      return yield* ownAnswer(exchange, seen)
    })
  })
})

export const layer = (options: Options): Layer.Layer<Tasks, never, SqlClient | SecureRandom | Ledger | Carrier> =>
  Layer.effect(Tasks, make(options))
