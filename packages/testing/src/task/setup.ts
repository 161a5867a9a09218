import { micro, nano, type NanoUsd, usd } from "@tollgate/contract/Money"
import { videoCreate } from "@tollgate/contract/operations/videoCreate"
import { bind } from "@tollgate/contract/Operation"
import { defaults } from "@tollgate/contract/Names"
import { one } from "@tollgate/contract/price/Price"
import { allowances } from "@tollgate/contract/Tier"
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
import type { Decoded, Priced } from "@tollgate/gateway/exchange/Exchange"
import type { Idempotency } from "@tollgate/ledger/ledger/Ledger"
import { Refused } from "@tollgate/contract/errors/Refused"
import * as TasksSql from "@tollgate/gateway/call/task/Tasks"
import { Tasks } from "@tollgate/gateway/call/task/Tasks"
import type { Protocol } from "@tollgate/gateway/upstream/Protocol"
import { task as taskProtocol } from "@tollgate/gateway/upstream/protocols/task"
import { type Provider, providerDefaults } from "@tollgate/gateway/upstream/Provider"
import { NodeSqliteClient } from "@tollgate/server"
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
  readonly micros?: number
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
    if (reserved.kind === "replay")
      return Effect.succeed({ answer: reserved.answer, charge: { state: `replayed ${reserved.charge.state}` } })
    if (reserved.kind === "earlier") return Effect.die("an attempt")
    const { reservation } = reserved
    return tasks.create(
      priced,
      reservation,
      Effect.onError(whole, () => ledger.markUnknown(reservation)),
      ledger
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
