import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { Operation } from "../src/Operation.ts"
import { operations } from "../src/operations.ts"
import { contractSource } from "../src/operations/contractSource.ts"
import { linkStart } from "../src/operations/linkStart.ts"
import { rerank } from "../src/operations/rerank.ts"
import { taskGet } from "../src/operations/taskGet.ts"
import { tweetQuotes } from "../src/operations/tweetQuotes.ts"
import { usage } from "../src/operations/usage.ts"
import { videoCreate } from "../src/operations/videoCreate.ts"

const options = { arbitrary: { runs: 40, size: 10 } }

type Codec = Schema.Codec<unknown, unknown>

interface Part {
  readonly name: string
  readonly schema: Codec
  readonly inAddress: boolean
}

const partsOf = (operation: Operation): ReadonlyArray<Part> =>
  [
    { part: "success", schema: operation.success },
    { part: "event", schema: operation.event },
    { part: "body", schema: operation.request.body },
    { part: "path", schema: operation.request.path },
    { part: "query", schema: operation.request.query }
  ].flatMap(({ part, schema }) =>
    schema === undefined
      ? []
      : [{ name: `${operation.id} ${part}`, schema: schema as Codec, inAddress: part === "path" || part === "query" }]
  )

const parts = operations.flatMap(partsOf)

const overWire = (encoded: unknown): unknown => JSON.parse(JSON.stringify(encoded))

/**
 * What JSON can carry, in this engine: it has no negative zero, and V8 misreads a key that is written with an escape once
 * it has seen one with a backslash (https://github.com/nodejs/node/issues/63785).
 */
const plain = (value: unknown): unknown =>
  Object.is(value, -0)
    ? 0
    : Array.isArray(value)
      ? value.map(plain)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key.replace(escaped, "_"), plain(item)]))
        : value
// oxlint-disable-next-line no-control-regex
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/g

const extra = { deep: [1, null, { "": "é", constructor: false }] }

/** Adds fields that no schema names to every object, however deep. */
const withExtra = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withExtra)
    : typeof value === "object" && value !== null
      ? Object.fromEntries([
          ...Object.entries(value).map(([key, item]) => [key, withExtra(item)]),
          ["x_not_shown", extra],
          ["__proto__", "own"]
        ])
      : value

/** Micro-USD is a bigint that only the wire side describes to a generator. */
const generates = (schema: Codec): { readonly side: "type" | "wire"; readonly values: Arbitrary.Arbitrary<unknown> } =>
  schema === (usage.success as Codec)
    ? { side: "wire", values: Arbitrary.schema(Schema.toEncoded(schema)) }
    : { side: "type", values: Arbitrary.schema(schema) }

describe("a value goes over the wire and comes back", () => {
  for (const { inAddress, name, schema } of parts) {
    const { side, values } = generates(schema)
    it.prop(
      name,
      { value: values },
      (generated) => {
        const value = plain(generated.value)
        const typed = side === "type" ? value : Schema.decodeUnknownSync(schema)(value)
        const encoded = Schema.encodeUnknownSync(schema)(typed)
        if (side === "wire") assert.deepStrictEqual(encoded, value)
        assert.deepStrictEqual(Schema.decodeUnknownSync(schema)(overWire(encoded)), typed)
        if (inAddress) {
          for (const text of Object.values(Object(encoded))) assert.isString(text, "an address holds only text")
        }
      },
      options
    )
  }
})

describe("fields that are not shown pass through, at every depth", () => {
  // Those whose every field is shown may drop the rest; an answer never does.
  const closed = new Set<unknown>([usage.request.query, contractSource.request.query, linkStart.request.body])
  const open = parts.filter(({ inAddress, schema }) => !inAddress && !closed.has(schema))
  for (const { name, schema } of open) {
    const { side, values } = generates(schema)
    it.prop(
      name,
      { value: values },
      (generated) => {
        const value = plain(generated.value)
        const wire = overWire(side === "wire" ? value : Schema.encodeUnknownSync(schema)(value))
        const more = withExtra(wire)
        const decoded = Schema.decodeUnknownSync(schema)(more)
        assert.deepStrictEqual(overWire(Schema.encodeUnknownSync(schema)(decoded)), more)
      },
      options
    )
  }

  it("also parameters of a query", () => {
    const sent = { tweetId: "1", cursor: "c", whatever: "x" }
    const decoded = Schema.decodeUnknownSync(tweetQuotes.request.query)(sent)
    assert.deepStrictEqual(Schema.encodeSync(tweetQuotes.request.query)(decoded), sent)
  })
})

describe("a request that does not fit is refused", () => {
  const fits = (schema: Schema.ConstraintDecoder<unknown>, value: unknown) =>
    Exit.isSuccess(Schema.decodeUnknownExit(schema)(value))

  it("rerank: a query, at least one document, and a whole number above zero for top_n", () => {
    const good = { query: "q", documents: ["d"] }
    const body = rerank.request.body
    for (const fine of [good, { ...good, model: "m" }, { ...good, top_n: 1 }]) assert.isTrue(fits(body, fine))
    const bad = [
      {},
      { query: "q" },
      { documents: ["d"] },
      { ...good, query: "" },
      { ...good, query: 1 },
      { ...good, documents: [] },
      { ...good, documents: "d" },
      { ...good, documents: [1] },
      { ...good, top_n: 0 },
      { ...good, top_n: 1.5 },
      { ...good, top_n: "1" },
      { ...good, model: 1 },
      null,
      []
    ]
    for (const value of bad) assert.isFalse(fits(body, value), JSON.stringify(value))
  })

  it("usage: a start that is a positive Unix timestamp", () => {
    const query = usage.request.query
    assert.deepStrictEqual(Schema.decodeUnknownSync(query)({ start_time: "1735689600", end_time: "1735776000" }), {
      start_time: 1_735_689_600,
      end_time: 1_735_776_000
    })
    assert.isTrue(fits(query, { start_time: "1" }))
    for (const start_time of [
      "0",
      "-1",
      "1e3",
      " 5",
      "5 ",
      "",
      "1.5",
      "0x10",
      "NaN",
      "9".repeat(30),
      "٣",
      undefined,
      5
    ]) {
      assert.isFalse(fits(query, { start_time }), String(start_time))
    }
    assert.isFalse(fits(query, {}))
    assert.isFalse(fits(query, { start_time: "1", end_time: "now" }))
  })

  it("video: a model and a prompt", () => {
    const body = videoCreate.request.body
    assert.isTrue(fits(body, { model: "m", input: { prompt: "p" } }))
    const bad = [
      { model: "m" },
      { model: "m", input: {} },
      { input: { prompt: "p" } },
      { model: 1, input: { prompt: "p" } }
    ]
    for (const value of bad) assert.isFalse(fits(body, value), JSON.stringify(value))
  })

  it("quotes: the tweet; a task: its id; a link: scopes as texts, or none", () => {
    assert.isFalse(fits(tweetQuotes.request.query, { cursor: "c" }))
    assert.isFalse(fits(tweetQuotes.request.query, { tweetId: "" }))
    assert.isFalse(fits(taskGet.request.path, { task_id: "" }))
    assert.isTrue(fits(linkStart.request.body, {}))
    assert.isTrue(fits(linkStart.request.body, { scopes: ["dm.read"] }))
    assert.isFalse(fits(linkStart.request.body, { scopes: "dm.read" }))
    assert.isFalse(fits(linkStart.request.body, { scopes: [1] }))
  })

  it("contract source: a hash, and bundled only as 1", () => {
    assert.isTrue(fits(contractSource.request.query, { hash: "h", bundled: "1" }))
    assert.isTrue(fits(contractSource.request.query, { hash: "h", operation_id: "rerank" }))
    assert.isFalse(fits(contractSource.request.query, { bundled: "1" }))
    assert.isFalse(fits(contractSource.request.query, { hash: "h", bundled: "0" }))
  })
})
