import { micro, nano, type NanoUsd, usd } from "@tollgate/contract/Money"
import { videoCreate } from "@tollgate/contract/operations/videoCreate"
import { bind } from "@tollgate/contract/Operation"
import { defaults } from "@tollgate/contract/Names"
import { one } from "@tollgate/contract/price/Price"
import { allowances } from "@tollgate/contract/Tier"
import type { TaskStatus } from "@tollgate/contract/Task"
import * as Utf8 from "@tollgate/contract/Utf8"
import {
  Accounts,
  AccountsSql,
  Carrier,
  KeyHash,
  KeysSql,
  Ledger,
  LedgerSql,
  migrate,
  SignupCredit
} from "@tollgate/gateway"
import type { Decoded, Priced } from "@tollgate/gateway/Exchange"
import type { Idempotency } from "@tollgate/gateway/ledger/Ledger"
import { Refused } from "@tollgate/gateway/Refused"
import * as TasksSql from "@tollgate/gateway/task/TasksSql"
import { Tasks } from "@tollgate/gateway/task/Tasks"
import { type Head, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import type { Protocol } from "@tollgate/gateway/upstream/Protocol"
import { task as taskProtocol } from "@tollgate/gateway/upstream/protocols/task"
import { type Provider, providerDefaults } from "@tollgate/gateway/upstream/Provider"
import { NodeSqliteClient } from "@tollgate/server"
import * as Clock from "effect/Clock"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const price = usd("0.05")
/** The price of a task. */
export const micros = 50_000n

export const provider: Provider = {
  name: "video",
  baseUrl: "https://upstream.invalid/base",
  protocol: "task",
  credential: { header: "Authorization", value: Redacted.make("Bearer of-the-gateway") },
  headers: { "x-extra": "yes" },
  deadlineMillis: 30_000,
  idleMillis: 30_000,
  ...providerDefaults,
  private: true,
  forwardedHeaders: [],
  breaker: true
}

type Reply = Effect.Effect<Head & { readonly body: string }, NotCarried>

export const reply = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply =>
  Effect.succeed({ status, headers, body: typeof body === "string" ? body : JSON.stringify(body) })

/** A task as the upstream reports it. */
export const report = (id: string, status: TaskStatus, output: object = {}, more: object = {}) => ({
  output: { task_id: id, task_status: status, ...output },
  ...more
})

export const success = (id: string) =>
  report(
    id,
    "SUCCEEDED",
    {
      video_url: `https://videos.invalid/${id}`,
      orig_prompt: "a river",
      submit_time: "1970-01-01 00:00:00.000",
      scheduled_time: "1970-01-01 00:00:01.000",
      end_time: "1970-01-01 00:00:09.000"
    },
    { usage: { output_video_duration: 5, video_count: 1, SR: 720 }, request_id: "theirs" }
  )

/** The answer to a poll, so many milliseconds after the create. */
export type Plan = (id: string, millis: number) => Reply

/** Runs for `millis`, then reports `end`. */
export const endsAfter =
  (millis: number, end: (id: string) => unknown): Plan =>
  (id, elapsed) =>
    reply(elapsed < millis ? report(id, elapsed < millis / 5 ? "PENDING" : "RUNNING") : end(id))

/** An upstream whose tasks follow a plan. It records every poll. */
export class Upstream {
  readonly polls: Array<Outgoing> = []
  readonly #tasks = new Map<string, { readonly plan: Plan; readonly createdAt: number }>()
  /** How long a poll takes. */
  pollMillis = 0
  #inFlight = 0
  maxInFlight = 0

  create(id: string, plan: Plan): Effect.Effect<string> {
    return Effect.map(Clock.currentTimeMillis, (createdAt) => {
      this.#tasks.set(id, { plan, createdAt })
      return JSON.stringify({ ...report(id, "PENDING"), request_id: "theirs", more: "kept" })
    })
  }

  readonly carrier: Carrier["Service"] = {
    carry: (outgoing) =>
      Effect.gen({ self: this }, function* () {
        this.polls.push(outgoing)
        this.maxInFlight = Math.max(this.maxInFlight, ++this.#inFlight)
        const id = decodeURIComponent(outgoing.path.slice(outgoing.path.lastIndexOf("/") + 1))
        const known = this.#tasks.get(id)
        if (this.pollMillis > 0) yield* Effect.sleep(this.pollMillis)
        const elapsed = (yield* Clock.currentTimeMillis) - (known?.createdAt ?? 0)
        const { body, headers, status } = yield* known?.plan(id, elapsed) ?? reply(report(id, "UNKNOWN"))
        return { status, headers, body: Utf8.encode(body) }
      }).pipe(Effect.ensuring(Effect.sync(() => this.#inFlight--)))
  }
}

/** The store works on the real event loop, which the test clock does not wait for. */
const settleStore = Effect.promise(async () => {
  for (let i = 0; i < 10; i++) await new Promise((resume) => setImmediate(resume))
})

/** Advances the test clock in small steps, so that what becomes due in one step runs before the next. */
export const advance = Effect.fnUntraced(function* (duration: Duration.Input) {
  const millis = Duration.toMillis(duration)
  const step = Math.max(1, Math.ceil(millis / 100))
  yield* settleStore
  for (let left = millis; left > 0; left -= step) {
    yield* TestClock.adjust(Math.min(step, left))
    yield* settleStore
  }
})

/** The parts of a gateway that tasks need. Building them again over the same store stands for a restart. */
export const services = (
  carrier: Carrier["Service"],
  providers: ReadonlyArray<Provider> = [provider],
  protocols?: ReadonlyArray<Protocol>
) =>
  Layer.mergeAll(
    TasksSql.layer({
      provider: (name) => providers.find((one) => one.name === name),
      ...(protocols === undefined ? {} : { protocols })
    }).pipe(Layer.provideMerge(LedgerSql.layer), Layer.provide(Layer.succeed(Carrier, carrier))),
    Layer.merge(AccountsSql.layer, KeysSql.layer).pipe(
      Layer.provide(KeyHash.layer(Redacted.make(new Uint8Array(32)))),
      Layer.provide(Mac.layerWebCrypto),
      Layer.provide(Layer.succeed(SignupCredit, micro(1_000_000_000n)))
    )
  ).pipe(Layer.provide(SecureRandom.layerWebCrypto))

export const store = (filename = ":memory:") =>
  Layer.effectDiscard(migrate).pipe(Layer.provideMerge(NodeSqliteClient.layer({ filename })))

let calls = 0

export interface Caller {
  readonly account: string
  readonly key: string
  /** The first key of a rotation. Missing where `key` is that key. */
  readonly rootKey?: string
  /** In millionths. Default: 1. */
  readonly multiplier?: bigint
}

const operation = Option.getOrThrow(Option.fromUndefinedOr(bind(videoCreate, defaults)))

/** The parts of an exchange that tasks read. */
const exchange = ({ multiplier = one, ...caller }: Caller, id?: string): Priced => {
  const most = nano((price * multiplier) / one)
  const known: Pick<Priced, "requestId" | "operation" | "principal" | "price" | "estimate" | "input"> = {
    requestId: `req_${process.pid}_${++calls}`,
    operation,
    principal: { ...caller, multiplier, allowance: allowances.Free },
    price: { contract: "per_task", amount: price },
    estimate: { likely: most, most },
    input: { path: { task_id: id }, query: {}, body: {} }
  }
  return known as Priced
}

export interface Outcome {
  readonly call: string
  readonly status: number
  readonly code?: string
  readonly retryAfter?: number
  readonly id: string
  readonly body: { readonly output: Readonly<Record<string, unknown>>; readonly [name: string]: unknown }
  readonly cost?: string
  /** What the headers say that it cost. */
  readonly micros?: bigint
}

const succeeded = (call: string, bytes: Uint8Array, status: number, cost?: string): Outcome => {
  const body = JSON.parse(Utf8.decode(bytes)) as Outcome["body"]
  return { call, status, id: String(body.output?.["task_id"]), body, ...(cost === undefined ? {} : { cost }) }
}

const refused = (call: string, { refusal }: Refused): Outcome => ({
  call,
  status: refusal.status ?? 0,
  code: refusal.code,
  ...(refusal.retryAfter === undefined ? {} : { retryAfter: refusal.retryAfter }),
  id: "",
  body: { output: {} }
})

/** A create as the pipeline runs it: reserve, then `Tasks.create` with the call to the upstream. */
export const create = Effect.fnUntraced(function* (
  caller: Caller,
  answer: Effect.Effect<string, Refused>,
  idempotency?: Idempotency,
  status = 200,
  protocol: Protocol = taskProtocol,
  cap?: NanoUsd
) {
  const ledger = yield* Ledger
  const tasks = yield* Tasks
  const priced: Priced = { ...exchange(caller), ...(cap === undefined ? {} : { cap }) }
  const whole = Effect.map(answer, (body) => ({
    kind: "whole" as const,
    answer: { status, contentType: "application/json", headers: {}, bytes: Utf8.encode(body) },
    protocol,
    provider: provider.name
  }))
  return yield* Effect.flatMap(ledger.reserve(priced, idempotency), (reserved) => {
    if (reserved.kind === "replay") return Effect.succeed({ answer: reserved.answer, charge: { state: "replayed" } })
    const { reservation } = reserved
    return tasks.create(
      priced,
      reservation,
      Effect.onError(whole, () => ledger.markUnknown(reservation))
    )
  }).pipe(
    Effect.match({
      onFailure: (error) => refused(priced.requestId, error),
      onSuccess: ({ answer, charge }) => succeeded(priced.requestId, answer.bytes, answer.status, charge.state)
    })
  )
})

export const poll = (caller: Caller, id: string) => {
  const decoded: Decoded = exchange(caller, id)
  return Tasks.use((tasks) => tasks.poll(decoded)).pipe(
    Effect.match({
      onFailure: (error) => refused(decoded.requestId, error),
      onSuccess: ({ bytes, charge, status }): Outcome => ({
        ...succeeded(decoded.requestId, bytes, status, charge?.state),
        ...(charge?.micros === undefined ? {} : { micros: charge.micros })
      })
    })
  )
}

/** A new account with credit, and its key. */
export const fundedCaller = Effect.gen(function* () {
  const accounts = yield* Accounts
  const account = (yield* accounts.create("test")).id
  return { account, key: (yield* accounts.createKey(account, {})).id }
})

interface Call {
  readonly state: string
  readonly reserved: number
  readonly charged: number
  readonly evidence: string | null
}

export const callOf = (id: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.map(sql<Call>`SELECT state, reserved, charged, evidence FROM calls WHERE id = ${id}`, ([call]) => call)
  )

/** What an account has spent, and what is reserved. */
export const balanceOf = (account: string) =>
  Effect.map(
    Accounts.use(({ get }) => get(account)),
    ({ balance, reserved }) => ({ spent: 1_000_000_000n - balance, reserved })
  )
