import { expect, it } from "vitest"
import { asked, changes } from "../src/pages/calls/Filter.ts"

it("what no call can match is left out of the query", () => {
  expect(asked({ tag: "No Tag", state: "nowhere", cost_state: "free", status: "9xx", from: "0026-01-01" })).toEqual({})
  expect(asked({ tag: "team=a,b" })).toEqual({})
  const filter = { key: "key_1", tag: "team=search", state: "settled", status: "4xx", q: " why " }
  expect(asked(filter)).toEqual({ ...filter, q: "why" })
  expect([changes({ key: "key_1", tag: "team" }), changes({ status: "200" })]).toEqual([false, true])
})
