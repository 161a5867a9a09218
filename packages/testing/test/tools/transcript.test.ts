import { describe, expect, it } from "@effect/vitest"
import { calls } from "@tollgate/testing/models"
import { callTool } from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import * as Effect from "effect/Effect"

interface Found {
  readonly results: ReadonlyArray<{ readonly operation_id: string; readonly price: { readonly words: string } }>
}

interface Details {
  readonly details: {
    readonly input_schema: { readonly required?: ReadonlyArray<string> }
    readonly example: Readonly<Record<string, unknown>>
    readonly price: { readonly words: string }
  }
}

interface Refused {
  readonly error: { readonly code: string; readonly what_to_do: string }
  readonly price: { readonly max_usd: string }
}

describe("an agent", () => {
  it.live("searches, asks the price, is refused by its cap, raises it and succeeds", () =>
    Effect.gen(function* () {
      const found = (yield* callTool("search", { query: "sort documents by relevance to a question" }))
        .content as unknown as Found
      const operation_id = found.results[0]?.operation_id
      expect(operation_id).toBe("rerank")

      const { details } = (yield* callTool("get_details", { operation_id })).content as unknown as Details
      expect(details.price.words).toContain("0.05 USD per million tokens")
      expect(details.input_schema.required).toEqual(expect.arrayContaining(["query", "documents"]))

      const input = { operation_id, arguments: details.example, idempotency_key: "transcript 1" }
      const refused = (yield* callTool("use", { ...input, max_price_usd: 0 })).content as unknown as Refused
      expect(refused.error).toMatchObject({
        code: "over_cap",
        what_to_do: expect.stringContaining("Ask the user") as unknown
      })
      expect(yield* calls).toHaveLength(0)

      // The user approves the largest price of the result.
      const max_price_usd = Number(refused.price.max_usd)
      const used = yield* callTool("use", { ...input, max_price_usd })
      expect([used.isError, used.content["status"]]).toEqual([false, 200])
      const { micros_usd } = used.content["cost"] as { micros_usd: number }
      expect(micros_usd).toBeLessThanOrEqual(max_price_usd * 1e6)
      expect((yield* calls).map(({ charged, state }) => [charged, state])).toEqual([[micros_usd, "settled"]])
    }).pipe(Effect.provide(servedSandbox()))
  )
})
