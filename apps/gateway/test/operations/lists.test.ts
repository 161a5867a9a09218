import { createClient } from "@tollgate/node"
import { call } from "@tollgate/client/discovered"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { fileOf } from "../../src/codegen/file.ts"
import { folder } from "../program.ts"
import { get, openapi } from "./documents.ts"
import { sell } from "./selling.ts"
import { useTool } from "./useTool.ts"

const ok = { "200": { description: "ok", content: { "application/json": { schema: { type: "object" } } } } }
const numbers = { type: "array", maxItems: 3, items: { type: "integer" } }
const filter = { type: "object", properties: { color: { type: "string" }, size: { type: "integer" } } }

const document = openapi({
  "/pets": get({
    responses: ok,
    parameters: [
      { name: "id", in: "query", schema: numbers },
      { name: "by", in: "query", explode: false, schema: { type: "array", items: { type: "string" } } },
      { name: "sp", in: "query", style: "spaceDelimited", explode: false, schema: numbers },
      { name: "pi", in: "query", style: "pipeDelimited", explode: false, schema: numbers },
      { name: "filter", in: "query", style: "deepObject", explode: true, schema: filter }
    ]
  })
})

const given = { id: [1, 2], by: ["a", "b"], sp: [3, 4], pi: [5, 6], filter: { color: "dark red", size: 7 } }
const wire = [
  ["by", "a,b"],
  ["filter[color]", "dark red"],
  ["filter[size]", "7"],
  ["id", "1"],
  ["id", "2"],
  ["pi", "5|6"],
  ["sp", "3 4"]
]

describe("lists in a query", () => {
  let sold: Awaited<ReturnType<typeof sell>>
  beforeAll(async () => {
    const path = join(folder(), "pets.json")
    writeFileSync(path, JSON.stringify(document))
    sold = await sell(path, "--price", "0.002")
  })

  const heard = () => {
    const query = sold.requests.at(-1)?.url.split("?")[1]
    return [...new URLSearchParams(query)].toSorted((one, other) => one.join("=").localeCompare(other.join("=")))
  }

  it("reach the upstream as the caller wrote them, and each value is checked", async () => {
    const query = new URLSearchParams(wire.map(([name = "", text = ""]): [string, string] => [name, text]))
    expect(await sold.call("GET", `/pets?${query}`)).toBe("200 2000")
    expect(heard()).toEqual(wire)
    for (const wrong of ["id=1&id=x", "id=1&id=2&id=3&id=4", "sp=1+x", "pi=1|x", "filter[size]=x", "filter=x"]) {
      expect(await sold.call("GET", `/pets?${wrong}`), wrong).toBe("400 invalid_request")
    }
  })

  it("are written by a program", async () => {
    const client = createClient({ baseUrl: sold.address, credential: sold.key })
    await call(client, "api.get_pets", given)
    expect(heard()).toEqual(wire)
    await call(client, "api.get_pets", { id: [9] })
    expect(heard()).toEqual([["id", "9"]])
    await client.close()
  })

  it("are written for an agent", async () => {
    const used = await useTool(sold, "use", { operation_id: "api.get_pets", arguments: given, max_price_usd: 0.01 })
    expect(used.structuredContent).toMatchObject({ status: 200 })
    expect(heard()).toEqual(wire)
  })

  it("have their types in generated code, and their styles in the contract", async () => {
    const contract = await sold.contract()
    const file = fileOf({ document: contract, hash: "0" }, "api.get_pets")
    expect(file).toContain("readonly id?: ReadonlyArray<number>")
    expect(file).toContain('styles: { id: "repeat", sp: "spaces", pi: "pipes", filter: "brackets" }')
    expect(JSON.stringify(contract)).toContain('"explode":false,"in":"query","name":"by","required":false')
  })
})
