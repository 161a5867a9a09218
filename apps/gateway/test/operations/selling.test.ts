import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { folder } from "../program.ts"
import { get, openapi } from "./documents.ts"
import { sell } from "./selling.ts"

const text = { type: "string" }
const ok = { "200": { content: { "application/json": { schema: { type: "object" } } } } }
const content = (type: string) => ({ [type]: { schema: { $ref: "#/components/schemas/Pet" } } })

const document = openapi(
  {
    "/pets/{petId}": {
      parameters: [{ name: "petId", in: "path", required: true, schema: { type: "integer" } }],
      ...get({
        responses: ok,
        parameters: [
          { name: "size", in: "query", required: true, schema: { type: "integer", maximum: 9 } },
          { name: "tag", in: "query", schema: { type: "array", items: text } },
          { name: "X-Trace", in: "header", schema: text }
        ]
      }),
      put: { requestBody: { required: true, content: content("application/json") }, responses: ok },
      delete: { responses: { "204": {} } }
    },
    "/forms/{provider}:send": {
      post: { requestBody: { content: content("application/x-www-form-urlencoded") }, responses: ok }
    }
  },
  {
    components: {
      schemas: {
        Pet: {
          type: "object",
          required: ["id", "name"],
          properties: {
            id: { type: "integer", readOnly: true },
            name: { type: "string", pattern: "^[a-z]+(-[a-z]+)*$" },
            friend: { $ref: "#/components/schemas/Pet" }
          }
        }
      }
    }
  }
)

describe("an imported document", () => {
  const write = () => {
    const path = join(folder(), "pets.json")
    writeFileSync(path, JSON.stringify(document))
    return path
  }

  it("is sold: calls are checked, carried and charged", async () => {
    const { call, heard } = await sell(write(), "--price", "0.002")
    expect(await call("GET", "/pets/7?size=3&tag=a&tag=b", undefined, { "x-trace": "t1" })).toBe("200 2000")
    expect(await call("GET", "/pets/7")).toMatch(/^4\d\d /)
    expect(await call("GET", "/pets/7?size=10")).toMatch(/^4\d\d /)
    expect(await call("GET", "/pets/seven?size=3")).toMatch(/^4\d\d /)
    expect(await call("PUT", "/pets/7", { name: "rex", friend: { name: "tom-cat" } })).toBe("200 2000")
    expect(await call("PUT", "/pets/7", { name: "Rex" })).toMatch(/^4\d\d /)
    expect(await call("PUT", "/pets/7", { friend: {} })).toMatch(/^4\d\d /)
    expect(await call("DELETE", "/pets/7")).toMatch(/^204 /)
    expect(await call("POST", "/forms/x:send", { name: "rex" })).toBe("200 2000")
    expect(heard).toEqual([
      "GET /pets/7?size=3&tag=a&tag=b t1",
      'PUT /pets/7 {"name":"rex","friend":{"name":"tom-cat"}}',
      "DELETE /pets/7",
      "POST /forms/x:send name=rex"
    ])
  })

  it("without a price is closed", async () => {
    const { call, heard } = await sell(write())
    expect(await call("GET", "/pets/7?size=3")).toBe("503 billing_misconfigured")
    expect(heard).toEqual([])
  })
})
