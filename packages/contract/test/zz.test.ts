import { it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { writeFileSync } from "node:fs"
import { deepResearch } from "../src/operations/deepResearch.ts"
import { isDeepStrictEqual, inspect } from "node:util"
const schema = deepResearch.request.body
const zeroed = (value: unknown): unknown =>
  Object.is(value, -0) ? 0 : Array.isArray(value) ? value.map(zeroed)
      : typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value).map(([k, i]) => [k, zeroed(i)])) : value
it("x", () => {
  const out: Array<string> = []
  const path = (a: any, b: any, p: string): void => {
    if (isDeepStrictEqual(a, b)) return
    if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) { out.push("AT " + p + inspect([a, b])); return }
    const ka = Reflect.ownKeys(a), kb = Reflect.ownKeys(b)
    out.push("IN " + p + inspect([ka, kb, Object.getPrototypeOf(a) === Object.getPrototypeOf(b)]))
    for (const k of ka) path(a[k], b[k], p + "/" + String(k))
  }
  let n = 0
  for (let s = 0; s < 2500 && n < 4; s++) {
    for (const value of Effect.runSync(Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 40, size: 10, seed: s }))) {
      const wire = JSON.stringify(Schema.encodeUnknownSync(schema)(value))
      const back = zeroed(Schema.decodeUnknownSync(schema)(JSON.parse(wire)))
      const v = zeroed(value)
      if (!isDeepStrictEqual(back, v)) { n++; path(back, v, ""); out.push(wire, JSON.stringify(v)) }
    }
  }
  writeFileSync("/tmp/s/diff.txt", n + "\n" + out.join("\n"))
}, 120000)
