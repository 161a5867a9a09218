import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { Operation } from "../src/Operation.ts"
import { named } from "../src/operations.ts"
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
  readonly file: string
  readonly schema: Codec
  readonly inUrl: boolean
}

const partsOf = ([name, operation]: readonly [string, Operation]): ReadonlyArray<Part> =>
  [
    { part: "success", schema: operation.success },
    { part: "event", schema: operation.event },
    { part: "body", schema: operation.request.body },
    { part: "path", schema: operation.request.path },
    { part: "query", schema: operation.request.query }
  ].flatMap(({ part, schema }) =>
    schema === undefined
      ? []
      : [
          {
            name: `${operation.id} ${part}`,
            file: `packages/contract/src/operations/${name}.ts`,
            schema: schema as Codec,
            inUrl: part === "path" || part === "query"
          }
        ]
  )

const parts = Object.entries(named).flatMap(partsOf)

/** Runs a check, and names the file and the usual remedies if it fails. */
const checkPart = ({ file, name }: Part, check: () => void): void => {
  try {
    check()
  } catch (error) {
    const remedy =
      "Write objects with Open, numbers with Schema.Finite or Schema.Int, and maps and formats of others with Typed<…>()."
    throw new Error(`${file} (${name}): ${remedy} ${String(error)}`, { cause: error })
  }
}

const overWire = (encoded: unknown): unknown => JSON.parse(JSON.stringify(encoded))

/**
 * Removes what JSON cannot carry here: negative zero, and keys that need an escape, which V8 misreads after one with a
 * backslash (https://github.com/nodejs/node/issues/63785).
 */
const withoutUnsafeJson = (value: unknown): unknown =>
  Object.is(value, -0)
    ? 0
    : Array.isArray(value)
      ? value.map(withoutUnsafeJson)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(
            Object.entries(value).map(([key, item]) => [key.replace(escaped, "_"), withoutUnsafeJson(item)])
          )
        : value
// oxlint-disable-next-line no-control-regex
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/g

const extra = { deep: [1, null, { "": "é", constructor: false }] }

/** Adds fields that no schema names to every object, at every depth. */
const withExtra = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withExtra)
    : typeof value === "object" && value !== null
      ? Object.fromEntries([
          ...Object.entries(value).map(([key, item]) => [key, withExtra(item)]),
          ["x_unknown", extra],
          ["__proto__", "own"]
        ])
      : value

/** A usage report is generated in its wire format, because micro-USD has no generator for its bigint. */
const generatorOf = (
  schema: Codec
): { readonly side: "type" | "wire"; readonly values: Arbitrary.Arbitrary<unknown> } =>
  schema === (usage.success as Codec)
    ? { side: "wire", values: Arbitrary.schema(Schema.toEncoded(schema)) }
    : { side: "type", values: Arbitrary.schema(schema) }

describe("an encoded value decodes to the same value", () => {
  for (const part of parts) {
    const { inUrl, name, schema } = part
    const { side, values } = generatorOf(schema)
    it.prop(
      name,
      { value: values },
      (generated) =>
        checkPart(part, () => {
          const value = withoutUnsafeJson(generated.value)
          const typed = side === "type" ? value : Schema.decodeUnknownSync(schema)(value)
          const encoded = Schema.encodeUnknownSync(schema)(typed)
          if (side === "wire") assert.deepStrictEqual(encoded, value)
          assert.deepStrictEqual(Schema.decodeUnknownSync(schema)(overWire(encoded)), typed)
          if (inUrl) {
            for (const text of Object.values(Object(encoded))) assert.isString(text, "a URL has only text")
          }
        }),
      options
    )
  }
})

describe("unknown fields pass through, at every depth", () => {
  // Fully specified requests may drop unknown fields.
  const closed = new Set<unknown>([usage.request.query, contractSource.request.query, linkStart.request.body])
  const open = parts.filter(({ inUrl, schema }) => !inUrl && !closed.has(schema))
  for (const part of open) {
    const { name, schema } = part
    const { side, values } = generatorOf(schema)
    it.prop(
      name,
      { value: values },
      (generated) =>
        checkPart(part, () => {
          const value = withoutUnsafeJson(generated.value)
          const wire = overWire(side === "wire" ? value : Schema.encodeUnknownSync(schema)(value))
          const more = withExtra(wire)
          const decoded = Schema.decodeUnknownSync(schema)(more)
          assert.deepStrictEqual(overWire(Schema.encodeUnknownSync(schema)(decoded)), more)
        }),
      options
    )
  }

  it("unknown query parameters too", () => {
    const sent = { tweetId: "1", cursor: "c", whatever: "x" }
    const decoded = Schema.decodeUnknownSync(tweetQuotes.request.query)(sent)
    assert.deepStrictEqual(Schema.encodeSync(tweetQuotes.request.query)(decoded), sent)
  })
})

describe("an invalid request is rejected", () => {
  const isValid = (schema: Schema.ConstraintDecoder<unknown>, value: unknown) =>
    Exit.isSuccess(Schema.decodeUnknownExit(schema)(value))

  it("rerank needs a query and at least one document, and top_n is a positive integer", () => {
    const good = { query: "q", documents: ["d"] }
    const body = rerank.request.body
    for (const fine of [good, { ...good, model: "m" }, { ...good, top_n: 1 }]) assert.isTrue(isValid(body, fine))
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
    for (const value of bad) assert.isFalse(isValid(body, value), JSON.stringify(value))
  })

  it("usage needs a positive Unix timestamp as its start", () => {
    const query = usage.request.query
    assert.deepStrictEqual(Schema.decodeUnknownSync(query)({ start_time: "1735689600", end_time: "1735776000" }), {
      start_time: 1_735_689_600,
      end_time: 1_735_776_000
    })
    assert.isTrue(isValid(query, { start_time: "1" }))
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
      assert.isFalse(isValid(query, { start_time }), String(start_time))
    }
    assert.isFalse(isValid(query, {}))
    assert.isFalse(isValid(query, { start_time: "1", end_time: "now" }))
  })

  it("a video needs a model and a prompt", () => {
    const body = videoCreate.request.body
    assert.isTrue(isValid(body, { model: "m", input: { prompt: "p" } }))
    const bad = [
      { model: "m" },
      { model: "m", input: {} },
      { input: { prompt: "p" } },
      { model: 1, input: { prompt: "p" } }
    ]
    for (const value of bad) assert.isFalse(isValid(body, value), JSON.stringify(value))
  })

  it("quotes need a tweet id, a task needs its id, and a link's scopes are optional texts", () => {
    assert.isFalse(isValid(tweetQuotes.request.query, { cursor: "c" }))
    assert.isFalse(isValid(tweetQuotes.request.query, { tweetId: "" }))
    assert.isFalse(isValid(taskGet.request.path, { task_id: "" }))
    assert.isTrue(isValid(linkStart.request.body, {}))
    assert.isTrue(isValid(linkStart.request.body, { scopes: ["dm.read"] }))
    assert.isFalse(isValid(linkStart.request.body, { scopes: "dm.read" }))
    assert.isFalse(isValid(linkStart.request.body, { scopes: [1] }))
  })

  it("the contract source needs a hash, and bundled can only be 1", () => {
    assert.isTrue(isValid(contractSource.request.query, { hash: "h", bundled: "1" }))
    assert.isTrue(isValid(contractSource.request.query, { hash: "h", operation_id: "rerank" }))
    assert.isFalse(isValid(contractSource.request.query, { bundled: "1" }))
    assert.isFalse(isValid(contractSource.request.query, { hash: "h", bundled: "0" }))
  })
})

describe("a body is checked and sent on as it came, so its schema changes no value", () => {
  for (const part of parts.filter(({ name }) => name.endsWith(" body"))) {
    it(part.name, () =>
      assert.strictEqual(
        SchemaAST.toType(part.schema.ast),
        part.schema.ast,
        `${part.file}: a schema that decodes to something else belongs in a step of the call`
      )
    )
  }

  it("and one that does is found", () => {
    const changing = Schema.Struct({ deep: Schema.Array(Schema.Struct({ n: Schema.NumberFromString })) })
    assert.notStrictEqual(SchemaAST.toType(changing.ast), changing.ast)
  })
})
