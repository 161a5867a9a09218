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
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { answer, conversation, model, path } from "./conversation.ts"
import { key } from "./question.ts"

// A billed chat call without sockets and, where there is a folder in memory, without a disk.
const inMemory = "/dev/shm"
const folder = mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), "tollgate-path-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))

const price = { input: usd("1"), output: usd("4"), cacheRead: usd("1"), cacheWrite: usd("1") }
const priced = operations.map((operation): Operation =>
  operation.price.contract === "model_tokens"
    ? { ...operation, price: { ...operation.price, models: { [model]: price } } }
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

const carry = Effect.callback<{ status: number; headers: Record<string, string>; body: Uint8Array }>((resume) =>
  queueMicrotask(() =>
    resume(Exit.succeed({ status: 200, headers: { "content-type": "application/json" }, body: Utf8.encode(answer) }))
  )
)
const carrier = Layer.succeed(Carrier, { carry: () => carry })

const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const { id } = yield* accounts.create("bench")
  yield* accounts.topUp(id, micro(1_000_000_000_000n), "bench")
  yield* accounts.change(id, { rpm: 1_000_000_000, tpm: 1_000_000_000, concurrency: 100_000 })
  yield* accounts.adoptKey(id, Redacted.make(key), "bench")
  const definition = { catalogue: Catalogue.make(priced, defaults), routes: routesTo({ "chat.completions": provider }) }
  const composition = yield* Composition.make(definition, Composition.all({ ledger: true, limits: true }))
  const gateway = composition.gateway()
  const bytes = Utf8.encode(conversation)
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
  if (first.kind !== "whole" || first.charge.state !== "settled") throw new Error("the call is not billed")
  return call
})

/** Runs a program with the call, while its gateway is there. */
export const withBilledCall = <E>(use: (call: Effect.Success<typeof make>) => Effect.Effect<void, E>) =>
  Layer.effectDiscard(Effect.flatMap(make, use)).pipe(
    Layer.provide(carrier),
    Layer.provide(Composition.layerStore(Redacted.make(new Uint8Array(32).fill(1)))),
    Layer.provide(NodeSqliteClient.layer({ filename: join(folder, "tollgate.db") })),
    Layer.provide(NodeDigest.layer),
    Layer.build,
    Effect.scoped
  )
