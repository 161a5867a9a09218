import { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { micro, usd } from "@tollgate/contract/Money"
import { defaults } from "@tollgate/contract/Names"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import * as Utf8 from "@tollgate/contract/Utf8"
import { Accounts, Composition } from "@tollgate/gateway"
import { routesTo } from "@tollgate/gateway/upstream/Route"
import { NodeDigest, NodeSqliteClient } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { answer, conversation, model, path, translated } from "./conversation.ts"
import { key } from "./question.ts"

// A billed chat call without sockets and, where there is a folder in memory, without a disk.
const inMemory = "/dev/shm"
const folder = mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), "tollgate-path-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

const price = { input: usd("1"), output: usd("4"), cacheRead: usd("1"), cacheWrite: usd("1") }
const priced = operations.map((operation): Operation =>
  operation.price.contract === "model_tokens"
    ? { ...operation, price: { ...operation.price, models: { [`${model}*`]: price } } }
    : operation
)
const provider = {
  name: "bench",
  baseUrl: "http://127.0.0.1:9",
  protocol: "openai",
  deadlineMillis: 60_000,
  idleMillis: 60_000,
  connections: 4_096
}

type Carry = Carrier["Service"]["carry"]
type Incoming = Effect.Success<ReturnType<Carry>>

/** What the upstreams answer. */
export type Respond = (sent: Parameters<Carry>[0]) => Incoming

const carrierOf = (respond: Respond) =>
  Layer.succeed(Carrier, {
    carry: (sent) => Effect.callback<Incoming>((resume) => queueMicrotask(() => resume(Exit.succeed(respond(sent)))))
  })

const plain: Respond = () => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: Utf8.encode(answer)
})

const operation = "chat.completions"
const other = routesTo({ [operation]: { ...provider, protocol: "anthropic" } }).map((route) => ({
  ...route,
  model: translated
}))
const routes = [...routesTo({ [operation]: provider }), ...other]

const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { id } = yield* accounts.create("bench")
  yield* accounts.topUp(id, micro(1_000_000_000_000n), "bench")
  yield* accounts.change(id, { rpm: 1_000_000_000, tpm: 1_000_000_000, concurrency: 100_000 })
  yield* accounts.adoptKey(id, Redacted.make(key), "bench")
  const definition = { catalogue: Catalogue.make(priced, defaults), routes }
  const composition = yield* Composition.make(definition, Composition.all())
  const gateway = composition.gateway()
  return Effect.fnUntraced(function* (body: string) {
    const bytes = Utf8.encode(body)
    const request = {
      method: "POST",
      url: path,
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "content-length": `${bytes.length}`
      },
      readBody: () => Effect.succeed(bytes)
    }
    const call = Effect.suspend(() => Effect.scoped(gateway.run(gateway.accept(request))))
    const first = yield* call
    if (first.kind === "stream") {
      const read = Effect.flatMap(
        Effect.suspend(() => gateway.run(gateway.accept(request))),
        (reply) => (reply.kind === "stream" ? Stream.runDrain(reply.body) : Effect.void)
      )
      return Effect.orDie(Effect.scoped(read))
    }
    if (first.kind !== "whole" || first.charge.state !== "settled") throw new Error("the call is not billed")
    return Effect.asVoid(call)
  })
})

type Calls = Effect.Success<typeof make>

/** Runs a program with calls of a body, while its gateway is there. */
export const withBilledCalls = <E>(use: (call: Calls) => Effect.Effect<void, E>, respond: Respond = plain) =>
  Layer.effectDiscard(Effect.flatMap(make, use)).pipe(
    Layer.provide(carrierOf(respond)),
    Layer.provide(Composition.layerStore(Redacted.make(new Uint8Array(32).fill(1)))),
    Layer.provide(NodeSqliteClient.layer({ filename: join(folder, "tollgate.db") })),
    Layer.provide(NodeDigest.layer),
    Layer.build,
    Effect.scoped
  )

/** Runs a program with the usual call. */
export const withBilledCall = <E>(use: (call: Effect.Effect<void>) => Effect.Effect<void, E>) =>
  withBilledCalls((calls) => Effect.flatMap(calls(conversation), use))
