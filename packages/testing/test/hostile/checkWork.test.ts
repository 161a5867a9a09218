import { fromJsonSchema } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import type { JsonSchema } from "@tollgate/contract/jsonSchema/JsonSchemaDocument"
import { countOf } from "@tollgate-tooling/programs/counts.ts"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const rounds = countOf("CHECK_FUZZ", 2, 20)
const seed = countOf("CHECK_FUZZ_SEED", 30, 30)

/** A schema and a value that together make much work, if nothing bounds it. */
interface Input {
  readonly name: string
  readonly schema: JsonSchema
  readonly definitions?: Readonly<Record<string, JsonSchema>>
  readonly value: unknown
}

/** The length of a value as JSON, about. */
const bytes = 128 * 1024

const many = <A>(length: number, each: (i: number) => A): ReadonlyArray<A> => Array.from({ length }, (_, i) => each(i))

/** What an ordinary caller sends, in the same size. */
const plain: Input = {
  name: "plain",
  schema: {
    type: "array",
    items: {
      type: "object",
      properties: {
        id: { type: "integer" },
        name: { type: "string" },
        tags: { type: "array", items: { type: "string" } }
      },
      required: ["id", "name"]
    }
  },
  value: many(bytes / 64, (id) => ({ id, name: "Ada Lovelace", tags: ["first", "second"] }))
}

const width = fc.integer({ min: 500, max: 900 })
const key = fc.constantFrom("allOf", "anyOf", "oneOf")

const wide = fc.tuple(width, key).map(([width, key]): Input => ({
  name: `${key} of ${width}`,
  // Only the last member of a choice fits.
  schema: { items: { [key]: many(width, (i) => ({ minimum: key === "allOf" ? -i : width - 1 - i })) } },
  value: many(bytes / 2, () => 0)
}))

const deep = fc
  .tuple(fc.array(key, { minLength: 20, maxLength: 40 }), fc.integer({ min: 2, max: 9 }))
  .map(([keys, width]): Input => ({
    name: `lists of ${width} in ${keys.length} levels`,
    schema: { items: { $ref: `#/$defs/N${keys.length}` } },
    definitions: Object.fromEntries([
      ["N0", { type: "object", additionalProperties: { type: "integer" } }],
      ...keys.map((key, i) => [`N${i + 1}`, { [key]: many(width, () => ({ $ref: `#/$defs/N${i}` })) }])
    ]),
    value: many(bytes / 8, (a) => ({ a }))
  }))

const textFor = (width: number, pattern: string): Input => ({
  name: `a long text for ${width} times ${pattern}`,
  schema: { allOf: many(width, (more) => ({ pattern, maxLength: bytes + more })) },
  value: "a".repeat(bytes)
})

const text = width.map((width) => textFor(width, "^[a-z]*$"))
const trap = fc
  .tuple(width, fc.constantFrom("^(a+)+$", "(a*)*b", "^(a|a)*b$", "^a{1,500}a{1,500}$"))
  .map(([width, pattern]) => textFor(width, pattern))

const names = fc.integer({ min: 30, max: 50 }).map((patterns): Input => ({
  name: `many names for ${patterns} patterns`,
  schema: { patternProperties: Object.fromEntries(many(patterns, (i) => [`^name[0-9]*${i}x$`, { type: "string" }])) },
  value: Object.fromEntries(many(bytes / 16, (i) => [`name${i}`, 1]))
}))

const values = fc.integer({ min: 9_000, max: 10_000 }).map((length): Input => ({
  name: `an enum of ${length}`,
  schema: { items: { enum: many(length, (i) => `value${i}`) } },
  value: many(bytes / 12, () => `value${length - 1}`)
}))

const heavy = fc.tuple(wide, deep, text, trap, names, values)

/** Without the bounds, most of these inputs take hundreds of times as long. */
const mostTimes = 10

const timed = ({ definitions = {}, schema, value }: Input): (() => number) => {
  const isTaken = Schema.is(fromJsonSchema({ schema, definitions }))
  return () => {
    const start = performance.now()
    isTaken(value)
    return performance.now() - start
  }
}

describe("the check of a body", () => {
  // A check holds the event loop. Other programs make one longer, never shorter: so the shortest is compared with the longest.
  it(`does not take much longer than that of a plain one of its size: ${rounds} rounds from the seed ${seed}`, () => {
    const ofPlain = timed(plain)
    ofPlain()
    let longest = Math.max(...many(5, ofPlain))
    for (const input of fc.sample(heavy, { numRuns: rounds, seed }).flat()) {
      const ofInput = timed(input)
      let times = Infinity
      for (let attempt = 0; attempt < 20 && times >= mostTimes; attempt++) {
        longest = Math.max(longest, ofPlain())
        times = ofInput() / longest
      }
      expect(times, `${input.name}, CHECK_FUZZ_SEED=${seed}`).toBeLessThan(mostTimes)
    }
  })
})
