import { describe, expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"

const test = (name: string, effect: () => Effect.Effect<unknown, unknown, Host | TestGateway>) =>
  it.effect(name, () => Effect.provide(effect(), Host.layerInProcess.pipe(Layer.provideMerge(TestGateway.layer()))))

type Fields = Readonly<Record<string, unknown>>

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })
const body = JSON.stringify({ query: "river", documents: ["river mountain sea shore ".repeat(50)] })

/** Makes a call, and returns its id. */
const call = Effect.fnUntraced(function* (credential = key) {
  yield* TestClock.adjust("1 second")
  const answer = yield* ask("POST", "/v1/rerank", bearer(credential), body)
  expect(answer.status).toBe(200)
  return answer.headers["x-request-id"] ?? ""
})

const read = (path: string, credential = key) => ask("GET", `/account/v1${path}`, bearer(credential))

const idsOf = (answer: { readonly json: () => unknown }) =>
  (answer.json() as { readonly calls: ReadonlyArray<Fields> }).calls.map(({ id }) => id)

const others = Effect.gen(function* () {
  const { account, accounts } = yield* TestGateway
  const first = (yield* accounts.listKeys(account))[0]!
  const { id } = yield* accounts.create("other")
  return {
    rotated: Redacted.value((yield* accounts.rotateKey(first.id, 86_400_000)).value),
    sibling: Redacted.value((yield* accounts.createKey(account, {})).value),
    stranger: Redacted.value((yield* accounts.createKey(id, {})).value)
  }
})

describe("the log of calls", () => {
  test("shows a key its own calls and those of its rotations, the newest first, and page by page", () =>
    Effect.gen(function* () {
      const { rotated, sibling, stranger } = yield* others
      const ids = [yield* call(), yield* call(rotated), yield* call()].toReversed()
      const foreign = [yield* call(sibling), yield* call(stranger)]
      for (const credential of [key, rotated]) expect(idsOf(yield* read("/calls", credential))).toEqual(ids)
      expect(idsOf(yield* read("/calls", sibling))).toEqual([foreign[0]])
      const first = yield* read("/calls?limit=2")
      expect(idsOf(first)).toEqual(ids.slice(0, 2))
      const { next } = first.json() as { readonly next: string }
      expect(idsOf(yield* read(`/calls?limit=2&before=${encodeURIComponent(next)}`))).toEqual(ids.slice(2))
      expect(idsOf(yield* read("/calls?operation=rerank&status=2xx&state=settled&limit=1"))).toEqual(ids.slice(0, 1))
      expect(idsOf(yield* read("/calls?status=4xx"))).toEqual([])
    }))

  test("tells the story of a call to its own key and its rotations, and to nobody else", () =>
    Effect.gen(function* () {
      const { rotated, sibling, stranger } = yield* others
      const id = yield* call()
      for (const credential of [key, rotated]) {
        const story = yield* read(`/calls/${id}`, credential)
        expect([story.status, story.json()]).toMatchObject([200, { id, operation: "rerank", state: "settled" }])
      }
      for (const credential of [sibling, stranger]) expect((yield* read(`/calls/${id}`, credential)).status).toBe(404)
      for (const unknown of ["req_x", "%27", "x".repeat(3_000)])
        expect((yield* read(`/calls/${unknown}`)).status).toBe(404)
    }))

  test("refuses a cursor that is none", () =>
    Effect.gen(function* () {
      const answer = yield* read("/calls?before=nonsense")
      expect([answer.status, answer.json()]).toMatchObject([
        400,
        { error: { message: "before: the `next` of another page is expected." } }
      ])
    }))
})

describe("the usage series", () => {
  test("adds up a key and its rotations, and no other key", () =>
    Effect.gen(function* () {
      const { rotated, sibling, stranger } = yield* others
      for (const credential of [key, rotated, rotated, sibling, stranger]) yield* call(credential)
      const series = (yield* read("/usage?start_time=1&width=1h", rotated)).json() as {
        readonly scope: string
        readonly totals: Fields
        readonly buckets: ReadonlyArray<Fields>
        readonly by_key: ReadonlyArray<unknown>
      }
      expect(series).toMatchObject({ scope: "key", bucket_width: "1h", totals: { requests: 3 } })
      expect(series.buckets.map(({ requests }) => requests)).toEqual([3])
      expect(series.by_key).toHaveLength(2)
      expect((yield* read("/usage?start_time=1", sibling)).json()).toMatchObject({ totals: { requests: 1 } })
    }))
})
