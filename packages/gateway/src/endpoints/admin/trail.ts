import type { trail as routes, TrailEntry } from "@tollgate/contract/admin/Trail"
import type { Rows } from "@tollgate/ledger/store/rows"
import { type Entry, list } from "@tollgate/ledger/trail/Trail"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { time } from "../managementApi/shapes.ts"

/** What somebody has changed in the store is shown as it is. */
const valueOf = (json: string | null): unknown =>
  json === null
    ? null
    : Result.getOrElse(
        Result.try(() => JSON.parse(json) as unknown),
        () => json
      )

const shown = ({ after, at, before, request, ...entry }: Entry): TrailEntry => ({
  ...entry,
  at: time(at),
  request: request === "" ? null : request,
  before: valueOf(before),
  after: valueOf(after)
})

const millis = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1_000)

export const trailHandlers = (rows: Rows): Handlers<typeof routes> => ({
  trail: ({ query: { before, end_time, limit = 100, of, start_time } }) =>
    Effect.map(list(rows, { before, end: millis(end_time), limit, of, start: millis(start_time) }), (found) => ({
      trail: found.map(shown)
    }))
})
