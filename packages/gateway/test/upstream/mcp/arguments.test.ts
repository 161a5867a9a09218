import * as Utf8 from "@tollgate/contract/Utf8"
import { expect, it } from "vitest"
import type { Decoded } from "../../../src/exchange/Exchange.ts"
import { argumentsOf } from "../../../src/upstream/mcp/callTool.ts"

const exchange = (body: string, path: object, query: object) =>
  ({ bytes: Utf8.encode(body), input: { path, query, body: undefined } }) as Decoded

it("the arguments of a tool in path and query have the tool's names", () => {
  const names = { path: { city: "place" }, query: { days: "n" } }
  expect(argumentsOf(exchange("", { city: "Bern" }, { days: 3, more: 1 }), names)?.value).toEqual({
    place: "Bern",
    n: 3,
    more: 1
  })
})
