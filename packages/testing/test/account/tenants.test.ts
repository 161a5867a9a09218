import { describe, expect, it } from "@effect/vitest"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults, fill } from "@tollgate/contract/Names"
import type { Bound } from "@tollgate/contract/Operation"
import { isFree } from "@tollgate/contract/price/Price"
import { type Example, withSamples } from "@tollgate/contract/reference/Example"
import { examplesOf } from "@tollgate/contract/reference/examples"
import { Host, key, TestGateway } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { ask } from "@tollgate/testing/ask"
import { bindings, priced } from "@tollgate/testing/models"

// Every operation, with another account's ids. Links and cached answers are in own.test.ts.

const layer = Host.layerInProcess.pipe(
  Layer.provideMerge(TestGateway.layer({ operations: priced, bindings, sandbox: "all" }))
)
const operations = Catalogue.make(priced, defaults, bindings).bound

const exampleOf = ({ id }: Bound): Example | undefined =>
  priced.filter((operation) => fill(operation.id, defaults) === id).map((operation) => examplesOf(operation)[0])[0]

const send = (operation: Bound, example: Example, credential: string, headers: Record<string, string> = {}) => {
  const values = (given: Example["query"] = {}) =>
    Object.entries(given).map(([name, value]) => [name, encodeURIComponent(withSamples(example, value))] as const)
  const path = values(example.path).reduce((text, [name, value]) => text.replace(`{${name}}`, value), operation.path)
  const query = values(example.query).map(([name, value]) => `${name}=${value}`)
  return ask(
    operation.method,
    query.length === 0 ? path : `${path}?${query.join("&")}`,
    { ...operation.request.headers, ...example.headers, authorization: `Bearer ${credential}`, ...headers },
    example.body === undefined ? undefined : JSON.stringify(example.body)
  )
}

const byId = (id: string): Bound => operations.find((operation) => operation.id === id)!

const another = Effect.gen(function* () {
  const { accounts } = yield* TestGateway
  const { id } = yield* accounts.create("another")
  const { value } = yield* accounts.createKey(id, { label: "" })
  return { account: id, key: Redacted.value(value) }
})

const anonymous = (text: string): string => text.replaceAll(/req_\w+/g, "req").replaceAll(/task_\w+/g, "task")

describe("two accounts", () => {
  it.live("can use the same idempotency key without seeing each other's answer", () =>
    Effect.gen(function* () {
      const other = yield* another
      const shared = { "idempotency-key": "shared" }
      const billed = operations.filter(
        ({ id, price, request }) => !isFree(price) && request.bodyType === undefined && id !== "social_a.follow"
      )
      expect(billed.length).toBeGreaterThan(12)
      for (const operation of billed) {
        const example = exampleOf(operation)!
        const first = yield* send(operation, example, key, shared)
        const second = yield* send(operation, example, other.key, shared)
        expect([first.status, second.status], operation.id).toEqual([200, 200])
        const again = yield* send(operation, example, other.key, shared)
        expect(again.status, operation.id).toBe(409)
        expect(again.text, operation.id).not.toContain(first.headers["x-request-id"])
      }
    }).pipe(Effect.provide(layer))
  )

  it.live("get the same answer for the other's task as for one that does not exist", () =>
    Effect.gen(function* () {
      const other = yield* another
      const created = yield* send(byId("video.create"), exampleOf(byId("video.create"))!, key)
      const { task_id } = (created.json() as { output: { task_id: string } }).output
      const poll = (id: string, credential: string) => send(byId("task.get"), { path: { task_id: id } }, credential)
      const own = yield* poll(task_id, key)
      const foreign = yield* poll(task_id, other.key)
      const never = yield* poll(`task_${"0".repeat(32)}`, other.key)
      expect((own.json() as { output: { task_status: string } }).output.task_status).not.toBe("UNKNOWN")
      expect(foreign.status).toBe(200)
      expect(anonymous(foreign.text)).toBe(anonymous(never.text))
      expect(foreign.text).toContain("UNKNOWN")
    }).pipe(Effect.provide(layer))
  )

  it.live("see none of each other's usage, and spend none of each other's balance", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      const other = yield* another
      const before = yield* accounts.get(account)
      yield* send(byId("rerank"), exampleOf(byId("rerank"))!, other.key)
      const report = yield* send(byId("usage"), { query: { start_time: "1" } }, key)
      const since = Math.floor(Date.now() / 1000) - 60
      const mine = yield* send(byId("usage"), { query: { start_time: String(since) } }, key)
      const theirs = yield* send(byId("usage"), { query: { start_time: String(since) } }, other.key)
      expect(report.status).toBe(400)
      expect(mine.json()).toMatchObject({ totals: { requests: 0 } })
      expect(theirs.json()).toMatchObject({ totals: { requests: 1 } })
      expect((yield* accounts.get(account)).balance).toBe(before.balance)
    }).pipe(Effect.provide(layer))
  )
})
