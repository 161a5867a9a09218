import { assert, describe, it } from "@effect/vitest"
import { fromMicros, micro } from "@tollgate/contract/Money"
import { Accounts, AccountsSql, Audit, KeyHash, Ledger, LedgerSql, migrate } from "@tollgate/gateway"
import type { Priced } from "@tollgate/gateway/Exchange"
import type { Command } from "@tollgate/gateway/ledger/Command"
import { Keeper } from "@tollgate/gateway/ledger/Keeper"
import type { Idempotency, Settled } from "@tollgate/gateway/ledger/Ledger"
import { type Milestone, OnMilestone } from "@tollgate/gateway/milestone"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { SqlError } from "effect/sql/SqlError"
import * as TestClock from "effect/testing/TestClock"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"
import { NodeKeeper, NodeSqliteClient } from "../src/index.ts"
import { make } from "../src/internal/keeper.ts"
import { commandSent } from "../src/internal/keeperMessage.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tollgate-keeper-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const program = new URL("../src/internal/keeperWorker.ts", import.meta.url).href

/** How many groups are lost before they are committed, how many after, and the store's last page where it may not grow. */
const lostBefore = 0
const lostAfter = 1
const lastPage = 2

const faulty = `
  const { parentPort, workerData } = require("node:worker_threads")
  const { DatabaseSync } = require("node:sqlite")
  const { faults } = workerData
  const post = parentPort.postMessage.bind(parentPort)
  const { prepare } = DatabaseSync.prototype
  let db
  let asked = 0
  DatabaseSync.prototype.prepare = function (text) {
    db = this
    return prepare.call(this, text)
  }
  parentPort.on("message", () => {
    asked++
    if (faults[${lostBefore}] > 0 && faults[${lostBefore}]-- > 0) process.exit(1)
    if (faults[${lastPage}] > 0) db.exec("PRAGMA max_page_count = " + faults[${lastPage}])
  })
  parentPort.postMessage = (reply) => {
    if (asked === 0 || faults[${lostAfter}] === 0) return post(reply)
    faults[${lostAfter}]--
    setImmediate(() => { throw new Error("the worker broke") })
  }
  import(${JSON.stringify(program)})
`

/** A ledger over a worker that can be made to fail, and an account with a key. */
const open = Effect.fnUntraced(function* (busyMillis = 60_000) {
  const filename = join(yield* folder, "tollgate.db")
  const faults = new Int32Array(new SharedArrayBuffer(12))
  const workers: Array<Worker> = []
  const keeper = Layer.effect(
    Keeper,
    make(() => {
      const worker = new Worker(faulty, { eval: true, workerData: { filename, busyMillis, faults } })
      workers.push(worker)
      return worker
    })
  )
  const milestones: Array<Milestone> = []
  const scope = yield* Scope.fork(yield* Effect.scope)
  const context = yield* Layer.buildWithScope(
    Layer.mergeAll(
      LedgerSql.layerKept.pipe(Layer.provideMerge(keeper)),
      AccountsSql.layer.pipe(
        Layer.provide(KeyHash.layer(Redacted.make(new Uint8Array(32)))),
        Layer.provide(Mac.layerWebCrypto)
      )
    ).pipe(
      Layer.provide(Layer.succeed(OnMilestone, (milestone) => void milestones.push(milestone))),
      Layer.provide(SecureRandom.layerWebCrypto),
      Layer.provide(Layer.effectDiscard(migrate)),
      Layer.provideMerge(NodeSqliteClient.layer({ filename }))
    ),
    scope
  )
  const services = Effect.all({ keeper: Keeper, ledger: Ledger, accounts: Accounts, sql: SqlClient })
  const { accounts, keeper: kept, ledger, sql } = yield* Effect.provide(services, context)
  const account = (yield* accounts.create("test")).id
  yield* accounts.topUp(account, micro(1_000_000n), "test")
  const key = (yield* accounts.createKey(account, {})).id

  let calls = 0
  const ask = (idempotency?: Idempotency, call = `call_${++calls}`) => {
    const exchange = {
      requestId: call,
      operation: { id: "rerank" },
      principal: { account, key },
      estimate: { most: fromMicros(micro(10n)) }
    }
    return ledger.reserve(exchange as Priced, idempotency)
  }
  const reserve = (idempotency?: Idempotency, call?: string) =>
    Effect.flatMap(ask(idempotency, call), (reserved) =>
      reserved.kind === "reserved" ? Effect.succeed(reserved.reservation) : Effect.die(reserved)
    )
  const purse = Effect.map(accounts.getKey(key), ({ reserved, spent }) => ({ reserved, spent }))
  const states = Effect.map(sql`SELECT state FROM calls ORDER BY id`.values, (rows) => rows.map(([state]) => state))
  const differences = Effect.map(Effect.provide(Audit.run, context), (audit) => audit.differences)
  const pages = Effect.map(sql`PRAGMA page_count`.values, (rows) => Number(rows[0]?.[0]))
  const close = Scope.close(scope, Exit.void)
  return {
    account,
    ask,
    close,
    differences,
    faults,
    filename,
    keeper: kept,
    key,
    ledger,
    milestones,
    pages,
    purse,
    reserve,
    states,
    workers
  }
})

const settled = (bytes: Uint8Array = new Uint8Array()): Settled => ({
  settlement: { value: micro(7n), charged: micro(7n), chargedNano: fromMicros(micro(7n)) },
  costState: "settled",
  answer: { status: 200, contentType: undefined, bytes },
  evidence: "{}",
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
})

const idempotency: Idempotency = { id: "key", payload: "digest", replay: true }

const command = (account: string, key: string, call: string): Command => ({
  ask: "reserve",
  now: 0,
  reservation: { call, account, key, operation: "rerank", amount: micro(10n), createdAt: 0, keepAnswer: false },
  idempotency: undefined
})

describe("the store of a worker", { timeout: 60_000 }, () => {
  it.effect("is a file", () =>
    Effect.gen(function* () {
      for (const filename of [":memory:", ""]) {
        const error = yield* Effect.flip(Layer.build(NodeKeeper.layer({ filename })))
        assert.instanceOf(error, SqlError)
        assert.match(error.message, /a store in memory cannot be shared with a worker/)
      }
    })
  )

  it.effect("is opened before the first commit, or it is said why not", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "none", "tollgate.db")
      const error = yield* Effect.flip(Layer.build(NodeKeeper.layer({ filename })))
      assert.instanceOf(error, SqlError)
      assert.strictEqual(error.reason._tag, "ConnectionError")
      assert.strictEqual(error.message, `cannot open ${filename}: unable to open database file`)
    })
  )
})

describe("what is sent to the worker", () => {
  const settle = (bytes: Uint8Array, keepAnswer: boolean): Uint8Array => {
    const { now, reservation } = command("", "", "")
    const sent = commandSent({
      ask: "settle",
      now,
      reservation: { ...reservation, keepAnswer },
      settled: settled(bytes)
    })
    return sent.ask === "settle" ? sent.settled.answer.bytes : assert.fail()
  }

  it("holds the answers that are kept, without the buffer that they are a part of", () => {
    const part = Buffer.alloc(10_000, 5).subarray(10, 12)
    const sent = settle(part, true)
    assert.deepStrictEqual([...sent], [5, 5])
    assert.strictEqual(sent.buffer.byteLength, 2)
    const whole = new Uint8Array([1, 2])
    assert.strictEqual(settle(whole, true), whole)
  })

  it("holds no other answer", () => {
    assert.strictEqual(settle(new Uint8Array([1, 2]), false).length, 0)
  })
})

describe("a commit in a worker", { timeout: 60_000 }, () => {
  it.live("is told of when it is made", () =>
    Effect.gen(function* () {
      const { ledger, milestones, reserve } = yield* open()
      const call = yield* reserve()
      assert.deepStrictEqual(milestones, ["committed"])
      yield* ledger.hold(call)
      assert.deepStrictEqual(milestones, ["committed", "committed"])
    })
  )

  it.live("that another connection's lock holds up fails as such, and can be made afterwards", () =>
    Effect.gen(function* () {
      const { account, filename, keeper, key, purse } = yield* open(10)
      yield* keeper.commit([], "me")
      const other = new DatabaseSync(filename)
      other.exec("BEGIN IMMEDIATE")
      const error = yield* Effect.flip(keeper.commit([command(account, key, "a")], "me"))
      other.close()
      assert.instanceOf(error, SqlError)
      assert.deepStrictEqual([error.reason._tag, error.reason.isRetryable], ["LockTimeoutError", true])
      yield* keeper.commit([command(account, key, "a")], "me")
      assert.deepStrictEqual(yield* purse, { reserved: 10n, spent: 0n })
    })
  )

  it.live("that the store has no room for: 503 before the call", () =>
    Effect.gen(function* () {
      const { faults, pages, purse, reserve } = yield* open()
      faults[lastPage] = yield* pages
      const refused = yield* Effect.flip(reserve(undefined, "call".repeat(10_000)))
      assert.strictEqual(refused.refusal.code, "billing_unavailable")
      faults[lastPage] = 1_000_000
      yield* reserve()
      assert.deepStrictEqual(yield* purse, { reserved: 10n, spent: 0n })
    })
  )

  it.live("that the store has no room for after the call is made once, when there is room", () =>
    Effect.gen(function* () {
      const { differences, faults, ledger, pages, purse, reserve } = yield* open()
      const call = yield* reserve(idempotency)
      faults[lastPage] = yield* pages
      const settling = yield* Effect.forkChild(ledger.settle(call, settled(new Uint8Array(200_000))))
      // Refused at least once: what follows in line is committed after it.
      yield* Effect.flip(reserve(undefined, "call".repeat(10_000)))
      assert.deepStrictEqual(yield* purse, { reserved: 10n, spent: 0n })
      faults[lastPage] = 1_000_000
      assert.deepStrictEqual(yield* Fiber.join(settling), { state: "settled", micros: micro(7n) })
      assert.deepStrictEqual(yield* purse, { reserved: 0n, spent: 7n })
      assert.deepStrictEqual(yield* differences, [])
    })
  )
})

describe("a worker that ends", { timeout: 60_000 }, () => {
  it.live("before it has committed: another one commits, and nobody notices", () =>
    Effect.gen(function* () {
      const { differences, faults, ledger, purse, reserve, workers } = yield* open()
      const call = yield* reserve()
      faults[lostBefore] = 1
      const [charge] = yield* Effect.all([ledger.settle(call, settled()), reserve(), reserve()], { concurrency: 3 })
      assert.deepStrictEqual(charge, { state: "settled", micros: micro(7n) })
      assert.deepStrictEqual(yield* purse, { reserved: 20n, spent: 7n })
      assert.deepStrictEqual([yield* differences, workers.length], [[], 2])
    })
  )

  it.live("after a reservation: the request is refused, and what was set aside for it is given back", () =>
    Effect.gen(function* () {
      const { differences, faults, purse, reserve, states } = yield* open()
      faults[lostAfter] = 1
      const refused = yield* Effect.flip(reserve(idempotency))
      assert.strictEqual(refused.refusal.code, "billing_unavailable")
      assert.deepStrictEqual(yield* states, ["open"])
      // The same request again: the first one did not take its key.
      yield* reserve(idempotency)
      assert.deepStrictEqual(yield* states, ["released", "open"])
      assert.deepStrictEqual(yield* purse, { reserved: 10n, spent: 0n })
      assert.deepStrictEqual(yield* differences, [])
    })
  )

  it.live("after reservations that came together: none is granted and set aside twice, or for nobody", () =>
    Effect.gen(function* () {
      const { differences, faults, purse, reserve, states } = yield* open()
      faults[lostAfter] = 1
      const all = Array.from({ length: 3 }, () => Effect.exit(reserve()))
      const exits = yield* Effect.all(all, { concurrency: 3 })
      const granted = exits.filter(Exit.isSuccess).length
      yield* reserve()
      assert.strictEqual((yield* states).filter((state) => state === "open").length, granted + 1)
      assert.deepStrictEqual(yield* purse, { reserved: BigInt(10 * (granted + 1)), spent: 0n })
      assert.deepStrictEqual(yield* differences, [])
    })
  )

  it.live("after a call was settled: it is charged once, and its answer is kept", () =>
    Effect.gen(function* () {
      const { ask, differences, faults, ledger, purse, reserve, workers } = yield* open()
      const call = yield* reserve(idempotency)
      faults[lostAfter] = 2
      const bytes = new Uint8Array([0, 255, 1])
      assert.deepStrictEqual(yield* ledger.settle(call, settled(bytes)), { state: "settled", micros: micro(7n) })
      assert.deepStrictEqual(yield* purse, { reserved: 0n, spent: 7n })
      const again = yield* ask(idempotency)
      assert.deepStrictEqual(again, { kind: "replay", answer: { status: 200, contentType: undefined, bytes } })
      assert.deepStrictEqual([yield* differences, workers.length], [[], 3])
    })
  )

  it.live("after a call was released or held: it is, once", () =>
    Effect.gen(function* () {
      const { differences, faults, ledger, purse, reserve, states } = yield* open()
      const released = yield* reserve()
      const held = yield* reserve()
      faults[lostAfter] = 1
      yield* ledger.release(released, 500)
      faults[lostAfter] = 1
      yield* ledger.hold(held)
      assert.deepStrictEqual(yield* states, ["released", "unknown"])
      assert.deepStrictEqual(yield* purse, { reserved: 10n, spent: 0n })
      assert.deepStrictEqual(yield* differences, [])
    })
  )

  it.effect("again and again is started again after a pause, and is asked for nothing meanwhile", () =>
    Effect.gen(function* () {
      const { account, faults, keeper, key, workers } = yield* open()
      faults[lostBefore] = 3
      const commit = Effect.flip(keeper.commit([command(account, key, "a")], "me"))
      const reasons: Array<string> = []
      for (let i = 0; i < 5; i++) reasons.push((yield* commit).message)
      const gone = "the ledger's worker is gone: it was ended"
      const pause = "the ledger's worker will be started again"
      assert.deepStrictEqual(reasons, [gone, gone, gone, pause, pause])
      assert.strictEqual(workers.length, 3)
      yield* TestClock.adjust("2 seconds")
      yield* keeper.commit([command(account, key, "a")], "me")
      assert.strictEqual(workers.length, 4)
    })
  )

  it.live("by an error says so", () =>
    Effect.gen(function* () {
      const { account, faults, keeper, key } = yield* open()
      faults[lostAfter] = 1
      const error = yield* Effect.flip(keeper.commit([command(account, key, "a")], "me"))
      assert.strictEqual(error.reason._tag, "ConnectionError")
      assert.strictEqual(error.message, "the ledger's worker is gone: the worker broke")
    })
  )
})

describe("closing", { timeout: 60_000 }, () => {
  it.live("waits for the commit that runs, interrupts those that wait, and ends the worker", () =>
    Effect.gen(function* () {
      const { account, close, filename, keeper, key, reserve, workers } = yield* open()
      yield* keeper.commit([], "me")
      const other = new DatabaseSync(filename)
      other.exec("BEGIN IMMEDIATE")
      const running = yield* Effect.forkChild(Effect.exit(reserve()))
      // Begun, and held up by the lock.
      for (let i = 0; i < 3; i++) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      const waiting = yield* Effect.forkChild(Effect.exit(reserve()))
      yield* Effect.yieldNow
      const closing = yield* Effect.forkChild(close)
      yield* Effect.yieldNow
      other.exec("COMMIT")
      yield* Fiber.join(closing)
      assert.isTrue(Exit.isSuccess(yield* Fiber.join(running)))
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.join(waiting)))
      assert.deepStrictEqual(
        workers.map(({ threadId }) => threadId),
        [-1]
      )
      assert.deepStrictEqual(
        other
          .prepare("SELECT state FROM calls")
          .all()
          .map(({ state }) => state),
        ["open"]
      )
      other.close()
      const late = yield* Effect.flip(keeper.commit([command(account, key, "a")], "me"))
      assert.strictEqual(late.message, "the ledger is closed")
    })
  )
})

describe("a process", { timeout: 60_000 }, () => {
  const run = (filename: string, end: string, signal?: NodeJS.Signals) =>
    Effect.callback<number | null>((resume) => {
      const code = `
        import * as Effect from "effect/Effect"
        import * as Layer from "effect/Layer"
        import * as Scope from "effect/Scope"
        import { NodeKeeper, NodeRuntime } from "./src/index.ts"
        const layer = NodeKeeper.layer({ filename: ${JSON.stringify(filename)} })
        const ready = Layer.effectDiscard(Effect.sync(() => console.log("ready")))
        ${end}
      `
      const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
        cwd: new URL("..", import.meta.url),
        stdio: ["ignore", "pipe", "inherit"]
      })
      child.stdout.once("data", () => signal !== undefined && child.kill(signal))
      child.on("close", (code) => resume(Effect.succeed(code)))
      return Effect.sync(() => child.kill("SIGKILL"))
    }).pipe(Effect.timeout("50 seconds"))

  it.live("with a worker ends when it is asked to", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "tollgate.db")
      const launch = "NodeRuntime.runMain(Layer.launch(ready.pipe(Layer.provide(layer))))"
      assert.strictEqual(yield* run(filename, launch, "SIGINT"), 0)
    })
  )

  it.live("is not kept alive by a worker that has nothing to do", () =>
    Effect.gen(function* () {
      const filename = join(yield* folder, "tollgate.db")
      const forget = "await Effect.runPromise(Layer.buildWithScope(layer, await Effect.runPromise(Scope.make())))"
      assert.strictEqual(yield* run(filename, forget), 0)
    })
  )
})
