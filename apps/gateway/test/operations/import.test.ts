import { describe, expect, it } from "vitest"
import { body, get, imported, openapi, parameter } from "./documents.ts"

const ok = { responses: {} }

describe("an operation of an OpenAPI document", () => {
  it("becomes an entry of the configuration", () => {
    const { operations, told } = imported(
      openapi({
        "/pets/{petId}": {
          parameters: [{ name: "petId", in: "path", required: true, schema: { type: "integer" } }],
          patch: {
            tags: ["Pet Store"],
            operationId: "updatePet",
            summary: "Change a pet",
            description: "Changes it.",
            deprecated: true,
            parameters: [{ name: "X-Trace", in: "header", description: "For you", schema: { type: "string" } }],
            requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
            responses: { "200": { content: { "application/json": { schema: { type: "object" } } } } }
          }
        }
      })
    )
    expect(told).toEqual([])
    expect(operations).toEqual([
      {
        id: "pets.pet_store.update_pet",
        category: "pet store",
        summary: "Change a pet",
        description: "Deprecated.\n\nChanges it.",
        method: "PATCH",
        path: "/apis/v1/pets/pets/{petId}",
        parameters: [
          { name: "petId", in: "path", required: true, schema: { type: "integer" } },
          { name: "X-Trace", in: "header", description: "For you", schema: { type: "string" } }
        ],
        body: { schema: { type: "object" }, required: true },
        answer: { schema: { type: "object" } },
        price: { amount: "0.002" },
        replay: "create",
        upstream: { name: "pets", path: "/pets/{petId}" }
      }
    ])
  })

  it("is the same each time", () => {
    const document = openapi({ "/b": get(), "/a": get({ operationId: "x" }), "/c": get({ operationId: "x" }) })
    expect(JSON.stringify(imported(document))).toBe(JSON.stringify(imported(document)))
    expect(imported(document).operations.map(({ id }) => id)).toEqual(["pets.get_b", "pets.x", "pets.x_2"])
  })

  it.each([
    ["repos/get-content", "repos", "pets.repos.get_content"],
    ["repos", "repos", "pets.repos.repos"],
    ["listHTTPRoutes", undefined, "pets.list_http_routes"],
    ["Größe ändern", undefined, "pets.gro_e_a_ndern"],
    [undefined, "Überblick", "pets.u_berblick.get_a"],
    ["__proto__", undefined, "pets.proto"],
    ["日本", "日本", "pets.get_a"],
    ["listPets", "Pets", "pets.list_pets"],
    ["petsList", "pets", "pets.list"]
  ])("gets an id from operationId %s and tag %s", (operationId, tag, id) => {
    const { operations } = imported(openapi({ "/a": get({ operationId, tags: tag === undefined ? [] : [tag] }) }))
    expect(operations[0]?.id).toBe(id)
  })

  it.each([
    ["get", undefined],
    ["put", undefined],
    ["delete", undefined],
    ["post", "create"],
    ["patch", "create"]
  ])("that is a %s is never repeated blindly if it may have side effects", (method, replay) => {
    expect(imported(openapi({ "/a": { [method]: ok } })).operations[0]?.replay).toBe(replay)
  })

  it("has no price, and stays closed, if none is given", () => {
    expect(imported(openapi({ "/a": get() }), { price: "pending" }).operations[0]?.price).toBe("pending")
    expect(imported(openapi({ "/a": get() }), { price: "free" }).operations[0]?.price).toBe("free")
  })

  it("has a summary of one line, whatever the document has", () => {
    const summaryOf = (operation: object) => imported(openapi({ "/a": get({ ...operation }) })).operations[0]?.summary
    expect(summaryOf({})).toBe("GET /a")
    expect(summaryOf({ summary: " Two\n lines " })).toBe("Two lines")
    expect(summaryOf({ description: "First. Second." })).toBe("First.")
    expect(String(summaryOf({ summary: "x".repeat(500) }))).toHaveLength(200)
    expect(summaryOf({ summary: 7 })).toBe("GET /a")
  })

  it.each([
    ["/a/", "/apis/v1/pets/a", "/a/"],
    ["/", "/apis/v1/pets", "/"],
    ["/files/{id}:copy", "/apis/v1/pets/files/{id}:copy", "/files/{id}:copy"],
    ["/x,y/{a}{b}", "/apis/v1/pets/x/y/{a}/{b}", "/x,y/{a}{b}"],
    ["/of/{provider}", "/apis/v1/pets/of/{provider_}", "/of/{provider_}"],
    ["/of/{pet id}", "/apis/v1/pets/of/{pet_id}", "/of/{pet_id}"]
  ])("with the path %s has a path that the gateway can route", (path, gateway, upstream) => {
    const { operations } = imported(openapi({ [path.replace("{pet id}", "{pet%id}")]: get() }))
    expect(operations[0]).toMatchObject({ path: gateway, upstream: { path: upstream } })
  })

  it.each([
    "/a?b=1",
    "/a/../b",
    "/a/%2e%2e/b",
    "/a/%2E./b",
    "/a/.%2e",
    "/%2e/a",
    "/a%2f..%2Fb",
    "/a%5C%2e%2e\\b",
    "/a/{x}/{x}",
    "/a/{}x{",
    "/a b"
  ])("with the path %s is not carried", (path) => {
    const { operations, told } = imported(openapi({ [path]: get() }))
    expect(operations).toEqual([])
    expect(told).toEqual([`paths[${JSON.stringify(path)}].get: the gateway cannot have this path`])
  })

  it("is carried once if two answer to the same calls", () => {
    const { operations, told } = imported(openapi({ "/a/{x}": get(), "/a/{y}": get() }))
    expect(operations).toHaveLength(1)
    expect(told).toContain('paths["/a/{y}"].get: answers to the same calls as GET /a/{x}')
  })

  it("is not carried if it has a server of its own", () => {
    const servers = [{ url: "https://api.example.com/{v}", variables: { v: { default: "v1" } } }]
    const { operations, server, told } = imported(
      openapi(
        {
          "/a": get({ servers: [{ url: "https://up.example.com" }] }),
          "/b": get({ servers: [{ url: "https://api.example.com/v1/" }] })
        },
        { servers }
      )
    )
    expect(server).toBe("https://api.example.com/v1")
    expect(operations.map(({ id }) => id)).toEqual(["pets.get_b"])
    expect(told).toEqual(['paths["/a"].get: has a server of its own: https://up.example.com'])
  })

  it("is told if its method is not carried", () => {
    const { told, total } = imported(openapi({ "/a": { head: ok, options: ok, trace: ok, get: 3, "x-a": 1 } }))
    expect(total).toBe(0)
    expect(told).toEqual([
      'paths["/a"].head: the gateway answers HEAD where it answers GET',
      'paths["/a"].options: the gateway does not carry OPTIONS',
      'paths["/a"].trace: the gateway does not carry TRACE',
      'paths["/a"].get: is not an operation'
    ])
  })

  it("is found through a reference to its path, within the document", () => {
    const { operations, told } = imported(
      openapi(
        { "/a": { $ref: "#/components/pathItems/a" }, "/b": { $ref: "other.json#/b" } },
        { components: { pathItems: { a: get() } } }
      )
    )
    expect(operations.map(({ path }) => path)).toEqual(["/apis/v1/pets/a"])
    expect(told).toEqual(['paths["/b"]: the path refers to another document'])
  })

  it("is chosen by id, path, method and path, or tag", () => {
    const document = openapi({
      "/a/one": get({ tags: ["first"] }),
      "/a/two": { post: { ...ok, tags: ["second"] } },
      "/b": get({ operationId: "bee" })
    })
    const chosen = (...only: ReadonlyArray<string>) =>
      imported(document, { only }).operations.map(({ path }) => String(path).slice("/apis/v1/pets".length))
    expect(chosen("/a/*")).toEqual(["/a/one", "/a/two"])
    expect(chosen("pets.b*")).toEqual(["/b"])
    expect(chosen("second", "/b")).toEqual(["/a/two", "/b"])
    expect(chosen("GET *")).toEqual(["/a/one", "/b"])
    expect(chosen("*o*e")).toEqual(["/a/one"])
    expect(chosen("/a")).toEqual([])
    expect(imported(document, { only: ["/b"] })).toMatchObject({ total: 3, chosen: 1 })
  })

  it("leaves out callbacks and webhooks, and says so", () => {
    const { told } = imported(openapi({ "/a": get({ callbacks: { x: {} } }) }, { webhooks: { one: {}, two: {} } }))
    expect(told).toEqual([
      'paths["/a"].get.callbacks: the gateway makes no callbacks',
      "webhooks: 2 webhooks are not operations: left out"
    ])
  })
})

describe("a parameter of an OpenAPI document", () => {
  it("of an operation replaces that of its path", () => {
    const { operations } = imported(
      openapi({
        "/a": {
          parameters: [{ name: "q", in: "query", schema: { type: "string" } }],
          ...get({ parameters: [{ name: "q", in: "query", required: true, schema: { type: "integer" } }] })
        }
      })
    )
    expect(operations[0]?.parameters).toEqual([{ name: "q", in: "query", required: true, schema: { type: "integer" } }])
  })

  it("is carried as one value, or as a list with commas", () => {
    const list = { type: "array", items: { type: "integer" } }
    expect(parameter({ name: "q", in: "query", explode: false, schema: list })).toMatchObject({
      parameters: [{ name: "q", in: "query", schema: list }],
      told: []
    })
    expect(parameter({ name: "q", in: "header", schema: list }).parameters).toMatchObject([{ schema: list }])
  })

  it.each([
    [{}, "repeat"],
    [{ explode: false }, undefined],
    [{ style: "spaceDelimited" }, "spaces"],
    [{ style: "pipeDelimited", explode: false }, "pipes"],
    [{ style: "pipeDelimited", explode: true }, "repeat"]
  ])("that is a list is written as the document says: %o", (given, style) => {
    const schema = { type: "array", items: { type: "integer" } }
    const { parameters, told } = parameter({ name: "q", in: "query", deprecated: true, schema, ...given })
    expect(parameters).toEqual([
      { name: "q", in: "query", description: "Deprecated.", ...(style === undefined ? {} : { style }), schema }
    ])
    expect(told).toEqual([])
  })

  it("that is an object is written with brackets, or is a parameter for each field", () => {
    const schema = { type: "object", required: ["a"], properties: { a: { type: "integer" }, b: { type: "string" } } }
    expect(parameter({ name: "q", in: "query", style: "deepObject", explode: true, schema })).toMatchObject({
      parameters: [{ name: "q", in: "query", style: "brackets", schema }],
      told: []
    })
    expect(parameter({ name: "q", in: "query", required: true, schema }).parameters).toEqual([
      { name: "a", in: "query", required: true, schema: { type: "integer" } },
      { name: "b", in: "query", schema: { type: "string" } }
    ])
  })

  it("with JSON inside is a text", () => {
    const { parameters, told } = parameter({ name: "q", in: "query", content: { "application/json": { schema: {} } } })
    expect(parameters).toEqual([{ name: "q", in: "query", schema: { type: "string" } }])
    expect(told[0]).toContain("is application/json inside a parameter: any text passes")
  })

  it.each([
    [{ in: "cookie" }, "the gateway carries no cookies"],
    [{ in: "body" }, "is in no place that OpenAPI 3 knows"],
    [{ in: "path" }, "is not in the path"],
    [{ in: "query", style: "matrix" }, "the gateway does not carry the style matrix"],
    [{ in: "query", schema: { properties: {} } }, "is an object without named fields"],
    [
      { in: "query", schema: { properties: { a: { type: "object" } } } },
      "is an object whose fields are not single values"
    ],
    [
      { in: "query", explode: false, schema: { properties: { a: {} } } },
      "is an object: the gateway carries single values and lists"
    ],
    [{ in: "query", name: "a b" }, "the gateway cannot have a parameter of this name"],
    [{ in: "header", name: "Authorization" }, "OpenAPI gives this header no meaning as a parameter"],
    [{ in: "header", name: "Idempotency-Key" }, "the gateway uses this header itself"],
    [{ in: "header", name: "X-Tollgate-Cost-Mode" }, "the gateway uses this header itself"],
    [{ in: "header", name: "X-Api-Key" }, "this header holds a caller's credential, which no upstream gets"]
  ])("that cannot be carried is told: %o", (given, reason) => {
    const optional = parameter({ name: "q", schema: { type: "string" }, ...given })
    expect(optional.operations).toHaveLength(1)
    expect(optional.parameters).toBeUndefined()
    expect(optional.told).toEqual([expect.stringContaining(`is left out: ${reason}`)])
  })

  it.each([
    [{ name: "c", in: "cookie", required: true }, 'GET /a: the required parameter "c": the gateway carries no cookies'],
    [{ $ref: "other.json#/p" }, "GET /a: the parameter refers to another document"],
    [{ $ref: "#/components/parameters/toString" }, "the parameter refers to something that is not in the document"],
    [{ $ref: "#/paths/~1a/get/parameters/0" }, "the parameter refers to itself"],
    [{ in: "query" }, "is not a parameter: it has no name or no place"],
    [3, "is not a parameter: it has no name or no place"]
  ])("without which the call cannot be made keeps the operation out: %o", (given, reason) => {
    const { operations, told } = imported(openapi({ "/a": get({ parameters: [given] }) }))
    expect(operations).toEqual([])
    expect(told[0]).toContain(reason)
  })

  it("in the path must be one value, and is text if the document does not describe it", () => {
    const label = parameter({ name: "x", in: "path", style: "label", schema: { type: "string" } }, "/a/{x}")
    expect(label.operations).toEqual([])
    expect(label.told[0]).toContain('the parameter "x" of the path: the gateway does not carry the style label')
    const missing = imported(openapi({ "/a/{x}": get() }))
    expect(missing.operations[0]?.parameters).toEqual([
      { name: "x", in: "path", required: true, schema: { type: "string" } }
    ])
    expect(missing.told).toEqual(['paths["/a/{x}"].get: the document does not describe {x}: any text passes'])
  })
})

describe("OpenAPI 3.2", () => {
  it("is read, and its new methods are told", () => {
    const document = openapi(
      { "/a": { ...get(), query: {}, additionalOperations: { COPY: {} } } },
      { openapi: "3.2.0" }
    )
    const { operations, told } = imported(document)
    expect(operations).toHaveLength(1)
    expect(told).toEqual([
      'paths["/a"].query: the gateway does not carry QUERY',
      'paths["/a"].additionalOperations: the gateway carries no methods of other names'
    ])
  })
})

describe("a body of an OpenAPI document", () => {
  const schema = { type: "object" }

  it("is JSON, or else a form", () => {
    const form = { "application/x-www-form-urlencoded": { schema } }
    expect(body({ content: { "application/json; charset=utf-8": { schema } } })).toMatchObject({
      body: { schema, required: false },
      told: []
    })
    expect(body({ content: form, required: true }).body).toEqual({ schema, type: "form", required: true })
    const both = body({ content: { ...form, "application/json": { schema } } })
    expect(both.body).toEqual({ schema, required: false })
    expect(both.told[0]).toContain(
      "of application/x-www-form-urlencoded, application/json the gateway carries application/json"
    )
  })

  it("is found through a reference", () => {
    const components = { requestBodies: { a: { content: { "application/json": { schema } } } } }
    expect(body({ $ref: "#/components/requestBodies/a" }, "put", { components }).body).toMatchObject({ schema })
    expect(body({ $ref: "#/components/requestBodies/b" }, "put", { components }).told[0]).toContain(
      "POST".replace("POST", "PUT") + " /a: the body refers to something that is not in the document"
    )
  })

  it("of another type is carried as it is, and JSON is preferred", () => {
    expect(body({ content: { "multipart/form-data": { schema } }, required: true }).body).toEqual({
      schema,
      type: "multipart",
      required: true
    })
    const binary = { schema: { type: "string", format: "binary" } }
    expect(body({ content: { "application/octet-stream": binary } }).body).toEqual({
      type: "application/octet-stream",
      required: false
    })
    expect(body({ content: { "*/*": binary } }).body).toEqual({ type: "*/*", required: false })
    const several = body({ content: { "text/xml": {}, "multipart/form-data": { schema }, "application/a+json": {} } })
    expect(several.body).toEqual({ schema: {}, type: "application/a+json", required: false })
  })

  it("of a type that has no name is told, and keeps the operation out if it is required", () => {
    const content = { "what?": { schema } }
    expect(body({ content, required: true })).toMatchObject({
      operations: [],
      told: ['paths["/a"].post.requestBody: POST /a: the body: the gateway cannot name its type: what?']
    })
    expect(body({ content })).toMatchObject({
      operations: [{ method: "POST" }],
      told: ['paths["/a"].post.requestBody: the body is left out: the gateway cannot name its type: what?']
    })
  })

  it("of a GET is left out; of a DELETE it is carried", () => {
    const content = { "application/json": { schema } }
    expect(body({ content }, "get").told[0]).toContain("a GET has no body at the gateway")
    expect(body({ content }, "delete").body).toMatchObject({ schema })
  })
})
