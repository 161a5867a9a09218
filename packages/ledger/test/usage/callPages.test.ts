import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { postgres } from "../../src/store/Dialect.ts"
import * as Cursor from "../../src/usage/callFilter.ts"
import * as Pages from "../../src/usage/callPages.ts"

describe("a page of the call log", () => {
  it.effect("reads on from where it stops looking, not from the time that was asked for", () =>
    Effect.gen(function* () {
      const asked: Array<readonly [text: string, values: ReadonlyArray<unknown>]> = []
      const run = (text: string, values: ReadonlyArray<unknown>) => {
        asked.push([text, values])
        return Effect.succeed(text.includes("OFFSET") ? [{ ended_at: 700n }] : [])
      }
      const rows = { run, mark: postgres.mark }
      const anyTime = { from: undefined, to: undefined, text: undefined }
      const filter = {
        limit: 10,
        cursor: undefined,
        since: 1,
        ...anyTime,
        conditions: [["operation", "=", "rare"]]
      } as const
      const { next } = yield* Pages.make(rows, "id").page(
        "a",
        Cursor.firstEndedCursor(Cursor.firstCursor(1_000)),
        filter
      )
      expect(next).toEqual({ part: "ended", asOf: 1_000, at: 700, id: "" })
      // Of two bounds SQLite may begin at the earlier, and so read all calls of the account.
      for (const [text] of asked) expect(text.match(/ended_at(?:, id\))? >= /g)).toHaveLength(1)
      expect(asked.map(([, values]) => [values.includes(1), values.includes(700)])).toEqual([
        [true, false],
        [false, true]
      ])
    })
  )
})
