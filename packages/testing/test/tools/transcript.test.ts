import { describe, expect, it } from "@effect/vitest"
import type { Used } from "@tollgate/tools/shapes"
import { calls } from "@tollgate/testing/models"
import { callTool } from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const found = Schema.decodeUnknownSync(
  Schema.Struct({ results: Schema.Array(Schema.Struct({ operation_id: Schema.String })) })
)
const Fields = Schema.Record(Schema.String, Schema.Unknown)
const described = Schema.decodeUnknownSync(
  Schema.Struct({ details: Schema.Struct({ price: Schema.String, input_schema: Fields, example: Fields }) })
)
const used = (content: unknown) => content as Used

describe("an agent", () => {
  it.live("searches, asks the price, is refused by its cap, raises it and succeeds", () =>
    Effect.gen(function* () {
      const { results } = found((yield* callTool("search", { query: "sort documents by relevance" })).content)
      const operation_id = results[0]?.operation_id
      expect(operation_id).toBe("rerank")

      const { details } = described((yield* callTool("get_details", { operation_id })).content)
      expect(details.price).toContain("$0.05 / 1M tokens")
      expect(details.input_schema["required"]).toEqual(expect.arrayContaining(["query", "documents"]))

      const input = { operation_id, arguments: details.example, idempotency_key: "transcript 1" }
      const refused = used((yield* callTool("use", { ...input, max_price_usd: 0 })).content)
      expect(refused.error).toMatchObject({
        code: "over_cap",
        repeat: "after_change",
        what_to_do: expect.stringContaining("Ask the user") as unknown
      })
      expect(yield* calls).toHaveLength(0)

      // The user approves the largest price of the result.
      const max_price_usd = Number(refused.price?.max_usd)
      const result = yield* callTool("use", { ...input, max_price_usd })
      const { cost, status } = used(result.content)
      expect([result.isError, status]).toEqual([false, 200])
      expect(cost?.micros_usd).toBeLessThanOrEqual(max_price_usd * 1e6)
      expect((yield* calls).map(({ charged, state }) => [charged, state])).toEqual([[cost?.micros_usd, "settled"]])
    }).pipe(Effect.provide(servedSandbox()))
  )
})
