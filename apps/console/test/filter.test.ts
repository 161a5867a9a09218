import { expect, it } from "vitest"
import { queryOf } from "../src/pages/calls/Filter.ts"

it("what no call can match is left out of the query", () => {
  expect(queryOf({ tag: "No Tag", state: "nowhere", cost_state: "free", status: "9xx", from: "0026-01-01" })).toEqual(
    {}
  )
  expect(queryOf({ tag: "team=a,b" })).toEqual({})
  const filter = { key: "key_1", tag: "team=search", state: "settled", status: "4xx", q: " why " }
  expect(queryOf(filter)).toEqual({ ...filter, q: "why" })
  const moment = "2026-11-19T00:00:00Z"
  expect(queryOf({ from: moment })).toEqual({ from: Date.parse(moment) })
  expect(queryOf({ from: "noZ" })).toEqual({})
})
