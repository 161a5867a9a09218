import { describe, expect, it } from "@effect/vitest"
import { postComments, salesData } from "@tollgate/client"
import { sourceState } from "@tollgate/client/contract"
import * as functions from "@tollgate/client/operations"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { linkCallback } from "@tollgate/contract/operations/linkCallback"
import { streamGenerateContent } from "@tollgate/contract/operations/streamGenerateContent"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { answer, attempts } from "./attempts.ts"

/** Without a plain function: a browser calls the first, and the second only streams. */
const withoutFunction = new Set([linkCallback.id, streamGenerateContent.id])

describe("the functions", () => {
  it("cover every operation once", () => {
    const described = operations.filter(({ id }) => !withoutFunction.has(id)).map(({ id }) => id)
    const called = Object.values(functions).flatMap((f) => ("operation" in f ? [(f.operation as Operation).id] : []))
    expect(called.toSorted()).toEqual(described.toSorted())
  })

  it("name the types of their input, result and errors, and show an example", () => {
    const generated = (name: string) => readFileSync(join(import.meta.dirname, "../src/generated", name), "utf8")
    const [text, types] = [generated("operations.ts"), generated("operationTypes.ts")]
    const called = Object.entries(functions).filter(([, f]) => "operation" in f || "streamed" in f)
    for (const [name] of called) {
      const type = name[0]?.toUpperCase() + name.slice(1)
      const before = text.slice(0, text.indexOf(`export const ${name}: (`))
      expect(types).toContain(`export type ${type}Error = `)
      expect(text).toMatch(
        new RegExp(`\\n \\*/\\nexport const ${name}: \\(\\s*input(: Type\\.${type}Input|\\?: void),\\s*options\\?: `)
      )
      expect(before.slice(before.lastIndexOf("/**")), name).toMatch(
        new RegExp(` \\* @example\\n(.*\\n)* \\* .*\\b${name}\\(`)
      )
    }
  })

  it("declare 402 exactly where they are billed", () => {
    for (const { errors, id, replay } of operations.filter(({ id }) => !withoutFunction.has(id))) {
      expect(errors.includes(402), id).toBe(replay !== "free")
    }
  })
})

describe("a parameter whose name is pending", () => {
  const page = answer(200, { success: true, credits_remaining: 1, comments: [], cursor: "c" })
  const call = postComments({ url: "u", cursor: "c1" })

  it.effect("is passed by its role and sent under its bound name", () =>
    Effect.gen(function* () {
      const bindings = { "social_b.post_comments": { parameters: { cursor: "after" } } }
      const bound = yield* attempts(call, page, { bindings })
      expect(bound.sent[0]?.url.search).toBe("?url=u&after=c1")
      const unbound = yield* attempts(call, page)
      expect(unbound.sent[0]?.url.search).toBe("?url=u&cursor=c1")
    })
  )
})

describe("the 503 of sales data", () => {
  it.effect("says what is wrong with its source", () =>
    Effect.gen(function* () {
      const state = { freshness: "unavailable", reason_code: "verified_sales_source_unavailable" }
      const read = (body: unknown) =>
        attempts(salesData(), answer(503, body)).pipe(
          Effect.map(({ result }) =>
            result._tag === "Failure" && result.failure._tag === "Unavailable"
              ? sourceState(result.failure)
              : expect.fail("no 503")
          )
        )
      expect(yield* read({ error: { message: "None." }, ...state })).toEqual(Option.some(state))
      expect(yield* read({ error: { message: "None." } })).toEqual(Option.none())
      expect(yield* read("None.")).toEqual(Option.none())
    })
  )
})
