import { jsonSchemaOf } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import type { Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { customOperations, decode, digestIn } from "../../src/config/Config.ts"
import { describe as describeProblems } from "../../src/config/text/Problem.ts"
import { priceSection } from "../../src/config/plan.ts"
import { decoded, errorsOf, messagesOf } from "./decoded.ts"

const forecast = {
  id: "weather.forecast",
  category: "weather",
  summary: "The weather of the next days",
  method: "GET",
  path: "/apis/v1/weather/{city}",
  price: { amount: "0.01" },
  upstream: "weather"
}

const upstreams = Object.fromEntries(
  ["json", "openai", "anthropic", "gemini", "task", "mcp"].map((protocol) => [
    protocol === "json" ? "weather" : protocol,
    { baseUrl: "https://upstream.example", protocol }
  ])
)

const file = (parts: object, more: object = {}) => ({ upstreams, ...more, operations: [{ ...forecast, ...parts }] })

const customOf = (parts: object, more: object = {}) => {
  const [only] = decoded(file(parts, more)).operations
  if (only === undefined) throw new Error("no operation")
  return only
}
const operationOf = (parts: object, more: object = {}): Operation => customOf(parts, more).operation

const decodes = (schema: Schema.Constraint | undefined, value: unknown): unknown =>
  Schema.decodeUnknownResult(schema as Schema.Codec<unknown>)(value).pipe(Result.getOrElse(() => "refused"))

describe("the parameters of an operation of the operator's own", () => {
  it("are in the path, the query, a header or the body, each by its schema", () => {
    const { header, path, query } = operationOf({
      parameters: [
        { name: "city", in: "path", schema: { type: "string", pattern: "^[a-z]+$" } },
        { name: "days", schema: { type: "integer", maximum: 14 }, required: true },
        { name: "tags", schema: { type: "array", items: { type: "string" } } },
        { name: "X-Units", in: "header", schema: { enum: ["metric", "imperial"] } }
      ]
    }).request
    expect(decodes(path, { city: "ulm" })).toEqual({ city: "ulm" })
    expect(decodes(path, { city: "Ulm" })).toBe("refused")
    expect(decodes(query, { days: "3", tags: "a,b", other: "1" })).toEqual({ days: 3, tags: ["a", "b"], other: "1" })
    expect(decodes(query, { days: "15" })).toBe("refused")
    expect(decodes(query, {})).toBe("refused")
    expect(decodes(header, { "x-units": "metric", "user-agent": "x" })).toEqual({ "x-units": "metric" })
    expect(decodes(header, { "x-units": "old" })).toBe("refused")
  })

  it("have the upstream's names where it has others", () => {
    const { target } = customOf({
      method: "PUT",
      parameters: [
        { name: "days", in: "query", sentAs: "d" },
        { name: "X-Units", in: "header", sentAs: "x-u" },
        { name: "text", sentAs: "q[]" },
        { name: "city", in: "path", sentAs: "town" }
      ],
      upstream: { name: "weather", path: "/v3/{town}/forecast", forwardHeaders: ["Accept-Language"] }
    })
    expect(target).toEqual({
      path: "/v3/{town}/forecast",
      names: { query: { days: "d" }, header: { "x-units": "x-u" }, body: { text: "q[]" }, path: { city: "town" } },
      forwardedHeaders: ["accept-language"]
    })
  })

  it("can be one schema for the whole body, sent as JSON or as a form", () => {
    const { operation, target } = customOf({
      method: "POST",
      body: {
        schema: { type: "object", required: ["text"], additionalProperties: false, properties: { text: {} } },
        type: "form"
      }
    })
    expect(decodes(operation.request.body, { text: 1 })).toEqual({ text: 1 })
    expect(decodes(operation.request.body, { text: 1, more: 1 })).toBe("refused")
    expect(operation.request.query).toBeUndefined()
    expect(target).toEqual({ body: "form" })
    expect(operationOf({ method: "DELETE" }).request.body).toBeUndefined()
    expect(operationOf({ method: "POST", parameters: [{ name: "city", in: "path" }] }).request.body).toBeUndefined()
    expect(operationOf({ method: "POST", body: {} }).request.optionalBody).toBe(true)
    expect(operationOf({ method: "POST", body: { required: true } }).request.optionalBody).toBeUndefined()
  })
})

describe("the answer of an operation", () => {
  it("is documented by its schema, and pending without one", () => {
    const schema = { $ref: "#/schemas/Place" }
    const schemas = { Place: { type: "object", properties: { within: { $ref: "#/schemas/Place" } } } }
    const described = operationOf({ answer: { schema } }, { schemas })
    expect(described.pending).toEqual([])
    expect(jsonSchemaOf(described.success)).toEqual({
      schema: { $ref: "#/$defs/Place" },
      definitions: { Place: { type: "object", properties: { within: { $ref: "#/$defs/Place" } } } }
    })
    expect(operationOf({}).pending).toEqual([{ open: "response", what: "body" }])
    expect(operationOf({ answer: { schema }, pending: ["request", "response"] }, { schemas }).pending).toHaveLength(2)
  })
})

describe("the price of an operation", () => {
  const body = { method: "POST", body: { schema: { type: "object" } } }
  const model = { input: "1", output: "2" }
  it.each([
    [{ price: "free" }, { contract: "free" }, "free"],
    [{ price: "free", method: "DELETE" }, { contract: "free" }, "create"],
    [{ price: "pending" }, { contract: "per_request", amount: "pending" }, "billed"],
    [{ price: undefined }, { contract: "per_request", amount: "pending" }, "billed"],
    [{ price: { amount: 0.01 } }, { contract: "per_request", amount: 10_000_000n }, "billed"],
    [
      { ...body, price: { amount: "1", times: { field: "n", unit: "image", otherwise: 1 } } },
      { contract: "per_request", times: { field: ["n"] } },
      "billed"
    ],
    [
      { ...body, price: { perMillion: "2", texts: ["query", { field: "text", timesItemsOf: "query" }] } },
      { contract: "per_token", texts: [{ field: "query" }, { field: "text", timesItemsOf: "query" }] },
      "billed"
    ],
    [
      { price: { field: "usage.credits", perUnit: "0.001", most: 500, unit: "credit" } },
      { contract: "answer_field", perUnit: 1_000_000n, field: ["usage", "credits"], most: 500, unit: "credit" },
      "billed"
    ],
    [
      { price: { amount: "1", field: "code", equals: 0 } },
      { contract: "body_code", amount: 1_000_000_000n, field: "code", equals: 0 },
      "billed"
    ],
    [
      { price: { cost: "usage.credits", perUnit: 0.001, factor: "1.45", most: "0.05" } },
      { contract: "reported_cost", cost: { field: ["usage", "credits"] }, factor: 1_450_000n, perUnit: 1_000_000n },
      "billed"
    ],
    [
      { ...body, upstream: "openai", price: { models: { "m-*": model } } },
      { contract: "model_tokens", outputLimit: [["max_completion_tokens"], ["max_tokens"]], choices: [["n"]] },
      "billed"
    ],
    [{ ...body, upstream: "task", price: { amount: "1" } }, { contract: "per_task" }, "create"]
  ])("%j", (parts, price, replay) => {
    const operation = operationOf(parts)
    expect(operation).toMatchObject({ price, replay })
  })

  it("by model has the format and the limits of models, and can be streamed", () => {
    const operation = operationOf({ ...body, upstream: "anthropic", price: { models: { m: model } } })
    expect(operation).toMatchObject({ family: "anthropic", limit: { id: "weather.forecast", tokens: true } })
    expect(operation.event).toBeDefined()
  })

  it("per task starts tasks", () => {
    expect(operationOf({ ...body, upstream: "task" })).toMatchObject({ family: "task", limit: { tasks: 3 } })
  })
})

describe("the limits of an operation", () => {
  it("are those of its group", () => {
    expect(operationOf({}).limit.id).toBe("standard")
    expect(operationOf({ limits: { rpm: 30, concurrency: true, group: "weather" } }).limit).toEqual({
      id: "weather",
      rpm: 30,
      concurrency: true,
      tokens: false
    })
    expect(operationOf({ limits: { rpm: 5 } }).limit.id).toBe("weather.forecast")
  })
})

const place = { type: "object", properties: { name: { type: "string" } } }

describe("a bad entry is refused with its reason", () => {
  it.each<[what: string, parts: object, ...messages: Array<string | RegExp>]>([
    ["path", { path: "/{x}/y" }, "path: the path must begin with a fixed word, not a parameter"],
    ["path", { path: "/a/../b" }, "path: the path must not have . or .. between two slashes"],
    ["path", { path: "/account/x" }, "path: this path is reserved for the gateway"],
    ["path", { path: "/tools/x" }, "path: the console has a page at this path"],
    ["path", { path: "/a/{x}/{x}" }, "path: the path has {x} twice"],
    ["path", { path: "/a/{provider}" }, "path: {provider} is a name of the gateway; choose another"],
    ["path", { path: "/apis/v1/services/aigc/tasks/{id}" }, "path: task.get already has GET on this path"],
    [
      "a parameter",
      { parameters: [{ name: "town", in: "path" }] },
      "parameters[0].name: the path does not have {town}"
    ],
    [
      "a parameter",
      { parameters: [{ name: "city", in: "path", required: false }] },
      "parameters[0].required: a parameter in the path is always required"
    ],
    [
      "a parameter",
      { parameters: [{ name: "x" }, { name: "y", sentAs: "x" }] },
      "parameters[1].sentAs: another parameter is sent under this name"
    ],
    [
      "a parameter",
      { parameters: [{ name: "y", sentAs: "x" }, { name: "x" }] },
      "parameters[1].name: another parameter is sent under this name"
    ],
    [
      "a parameter",
      {
        parameters: [
          { name: "X-A", in: "header" },
          { name: "X-B", in: "header", sentAs: "X-A" }
        ]
      },
      "parameters[1].sentAs: another parameter is sent under this name"
    ],
    ["a parameter", { parameters: [{ name: "x", in: "body" }] }, "parameters[0].in: a GET has no body"],
    [
      "a parameter",
      { parameters: [{ name: "Authorization", in: "header" }] },
      "parameters[0].name: this header holds a caller's credential, which no upstream gets"
    ],
    [
      "a parameter",
      { parameters: [{ name: "X-Tollgate-Tags", in: "header" }] },
      "parameters[0].name: the gateway uses this header itself"
    ],
    [
      "a body",
      { method: "POST", body: {}, parameters: [{ name: "x" }] },
      "parameters[0].in: the operation describes its whole body already"
    ],
    ["a category", { category: "Web/../x" }, /^category: expected a few short words in lower case/],
    [
      "a schema",
      { answer: { schema: { type: "strin" } } },
      /^answer\.schema\.type: expected .* did you mean "string"\?$/
    ],
    [
      "a schema",
      { answer: { schema: { properties: { a: 1 } } } },
      /^answer\.schema\.properties\.a: expected a JSON Schema/
    ],
    ["a schema", { answer: { schema: { items: [] } } }, /^answer\.schema\.items: expected a JSON Schema/],
    ["a schema", { answer: { schema: { pattern: "(" } } }, "answer.schema.pattern: expected a regular expression"],
    [
      "a reference",
      { answer: { schema: { items: { $ref: "#/schemas/Plaice" } } } },
      'answer.schema.items.$ref: there is no such schema; did you mean "Place"?'
    ],
    [
      "a reference",
      { answer: { schema: { $ref: "https://x.example/y.json" } } },
      /^answer\.schema\.\$ref: expected a reference to the section schemas/
    ],
    ["a price", { price: { perItem: "1", most: 5 } }, /^price\.items: is missing/],
    ["a price", { price: { perUnit: "1", field: "a..b", most: 5 } }, /^price\.field: expected the path of a field/],
    ["a price", { price: { perUnit: "1", field: "a", most: 0 } }, /^price\.most: expected a whole number/],
    [
      "a price",
      { price: { models: { m: { input: "1", output: "1" } } } },
      "price: only an upstream of the protocol openai, anthropic, gemini reports tokens by model"
    ],
    [
      "a price",
      { price: { contract: "per_task", amount: "1" } },
      "price: only an upstream of the protocol task starts tasks"
    ],
    [
      "a price",
      { upstream: "task", price: { perUnit: "1", field: "a", most: 5 } },
      /^price: a task is billed when it succeeds/
    ],
    [
      "a price",
      { price: { perMillion: "1", texts: ["q"] } },
      "price: this price depends on fields of the body, and the operation has none"
    ],
    ["a replay class", { replay: "free" }, "replay: a call that is retried freely must be free"],
    ["a replay class", { replay: "billed", price: "free" }, /^replay: the gateway keeps no record of free calls/],
    ["a group", { limits: { group: "inference" } }, "limits.group: the gateway has a group of this name"],
    [
      "a target",
      { upstream: { name: "weather", path: "/v3/{town}" } },
      "upstream.path: the operation's path does not have {town}",
      "upstream.path: {city} of the operation's path is missing"
    ],
    [
      "a target",
      { upstream: { name: "weather", forwardHeaders: ["cookie"] } },
      "upstream.forwardHeaders[0]: this header holds a caller's credential, which no upstream gets"
    ],
    [
      "a target",
      {
        parameters: [{ name: "X-A", in: "header", sentAs: "X-B" }],
        upstream: { name: "weather", forwardHeaders: ["x-b", "X-Forwarded-For"] }
      },
      "upstream.forwardHeaders[0]: a parameter is sent in this header",
      "upstream.forwardHeaders[1]: the gateway uses this header itself"
    ],
    [
      "a form",
      { method: "POST", body: { type: "form" }, upstream: { name: "mcp", tool: "t" } },
      "body.type: tools of an MCP server take JSON"
    ],
    ["a target", { upstream: { name: "weather", tool: "t" } }, "upstream.tool: only for the protocol mcp"],
    ["a key", { pric: "free" }, /^pric: not a known key; did you mean "price"\?$/]
  ])("%s: %j", (_, parts, ...expected) => {
    const messages = messagesOf(file(parts, { schemas: { Place: place } })).map((message) =>
      message.replace(/^operations\[0\]\.?/, "")
    )
    expect(messages).toHaveLength(expected.length)
    for (const [i, message] of expected.entries()) {
      if (typeof message === "string") expect(messages[i]).toBe(message)
      else expect(messages[i]).toMatch(message)
    }
  })

  it("a schema that is only itself", () => {
    const schemas = {
      A: { $ref: "#/schemas/B" },
      B: { anyOf: [{ $ref: "#/schemas/A" }, { type: "string" }] },
      List: { items: { $ref: "#/schemas/List" } }
    }
    expect(messagesOf({ schemas })).toEqual(["schemas.A: this schema refers to itself without end"])
  })

  it("operations at the same address, whatever their parameters are called; a fixed path beside a pattern is fine", () => {
    const operations = (...paths: ReadonlyArray<string>) => ({
      upstreams,
      operations: paths.map((path, i) => ({ ...forecast, id: `a.${i}`, path }))
    })
    expect(messagesOf(operations("/a/{x}", "/a/{y}"))).toEqual(["operations[1].path: a.0 already has GET on this path"])
    expect(decoded(operations("/a/{x}", "/a/b", "/a/{x}/c", "/a/{x}.json")).operations).toHaveLength(4)
  })

  it("a group with two limits", () => {
    const operations = [5, 6].map((rpm) => ({
      ...forecast,
      id: `a.${rpm}`,
      path: `/a/${rpm}`,
      limits: { rpm, group: "g" }
    }))
    expect(messagesOf({ upstreams, operations })).toEqual([
      "operations[1].limits.group: another operation of this group has other limits"
    ])
  })

  it("names that every object has are names like any other", () => {
    const schemas = { constructor: { type: "string" } }
    expect(
      messagesOf({
        upstreams,
        schemas,
        operations: [{ ...forecast, answer: { schema: { $ref: "#/schemas/toString" } } }]
      })
    ).toHaveLength(1)
    expect(operationOf({ id: "constructor", category: "constructor" }, { schemas }).id).toBe("constructor")
  })
})

describe("the price of an operation of the operator's own", () => {
  it("has its place in the entry, and the section of prices says so", () => {
    const prices = { operations: { "weather.forecast": { amount: "1" }, "weather.forecasts": "free" } }
    expect(messagesOf(file({}, { prices }))).toEqual([
      'prices.operations["weather.forecast"]: the price of this operation belongs in its entry in "operations"',
      'prices.operations["weather.forecasts"]: not a known key'
    ])
    const config = decoded(file({}))
    expect(Result.getFailure(priceSection(() => config).read(prices))).toMatchObject({
      value: [expect.stringContaining("belongs in its entry"), expect.stringContaining("not a known key")]
    })
  })

  it("with a field whose name has a typo is refused with the field that was meant", () => {
    expect(messagesOf(file({ price: { amunt: "0.01" } }))).toEqual([
      'operations[0].price.amunt: not a known key; did you mean "amount"?'
    ])
    expect(messagesOf(file({ price: { perUnits: "0.01", field: "usage.credits", most: 5 } }))).toEqual([
      'operations[0].price.perUnits: not a known key; did you mean "perUnit"?'
    ])
    expect(messagesOf(file({ price: { colour: "0.01" } }))).toEqual([
      expect.stringMatching(/^operations\[0\]\.price: expected \{ "amount": … \}, .* found another object$/)
    ])
  })
})

describe("a file of operations", () => {
  const texts: Record<string, string> = {
    "weather.json": JSON.stringify({
      schemas: { Place: place },
      operations: [{ ...forecast, answer: { schema: { $ref: "#/schemas/Place" } } }]
    }),
    "broken.json": '{\n  "operations": [,]\n}',
    "bad.json": '{\n  "operation": [],\n  "operations": [\n    { "file": "weather.json" },\n    5\n  ]\n}',
    "list.json": "[]"
  }
  const readOther = (name: string) => {
    const text = texts[name]
    return text === undefined ? Effect.fail("ENOENT") : Effect.succeed(text)
  }
  const read = (config: object) => decode(JSON.stringify({ upstreams, ...config }, null, 1), readOther)
  const errorsIn = (config: object) =>
    describeProblems("f", Effect.runSync(Effect.flip(read(config))))
      .split("\n  ")
      .filter((line) => !line.includes("errors"))

  it("adds its operations, with schemas of its own", () => {
    const config = Effect.runSync(read({ operations: [{ file: "weather.json" }] }))
    expect(customOperations(config).map(({ id }) => id)).toEqual(["weather.forecast"])
    const without = Effect.runSync(read({ operations: [] }))
    expect(config.digest).not.toBe(without.digest)
    const text = JSON.stringify({ upstreams, operations: [{ file: "weather.json" }] })
    expect(Effect.runSync(digestIn(`${text} // a comment`, readOther))).toBe(config.digest)
    expect(Effect.runSync(digestIn(text.replace("weather.json", "none.json"), readOther))).toBeUndefined()
    expect(Effect.runSync(digestIn(text.replace("{", '{"upstreams":{},'), readOther))).toBeUndefined()
    expect(Effect.runSync(digestIn(text.slice(1), readOther))).toBeUndefined()
    texts["weather.json"] += " "
    expect(Effect.runSync(read({ operations: [{ file: "weather.json" }] })).digest).not.toBe(config.digest)
  })

  it("is named with the line where it is wrong", () => {
    expect(errorsIn({ operations: [{ file: "broken.json" }] })).toEqual([
      'broken.json:2:18: not JSON: expected a value, found ","'
    ])
    expect(errorsIn({ operations: [{ file: "bad.json" }] })).toEqual([
      "bad.json:2:3: operation: not a known key; expected $schema, operations, schemas, imported",
      "bad.json:4:5: operations[0]: a file of operations names no other files",
      "bad.json:5:5: operations[1]: expected an object, found a number"
    ])
    expect(errorsIn({ operations: [{ file: "list.json" }] })).toEqual([
      'list.json:1:1: expected an object with "operations"'
    ])
    expect(errorsIn({ operations: [forecast, { file: "weather.json" }] })).toEqual([
      expect.stringMatching(
        /^weather\.json:1:\d+: operations\[0\]\.id: another operation has this id, in the configuration file$/
      ),
      expect.stringMatching(
        /^weather\.json:1:\d+: operations\[0\]\.path: weather\.forecast already has GET on this path$/
      )
    ])
  })

  it("is named with the other one that has an operation of the same id", () => {
    texts["more.json"] = JSON.stringify({ operations: [{ ...forecast, path: "/apis/v1/more/{city}" }] })
    expect(errorsIn({ operations: [{ file: "weather.json" }, { file: "more.json" }] })).toEqual([
      expect.stringMatching(/^more\.json:1:\d+: operations\[0\]\.id: another operation has this id, in weather\.json$/)
    ])
  })

  it("that is missing, named twice or not named is a problem of the configuration", () => {
    expect(
      errorsIn({
        operations: [{ file: "none.json" }, { file: "weather.json" }, { file: "weather.json" }, { file: "" }]
      })
    ).toEqual([
      expect.stringMatching(/operations\[0\]\.file: cannot be read: ENOENT$/),
      expect.stringMatching(/operations\[2\]\.file: this file is named twice$/),
      expect.stringMatching(/operations\[3\]\.file: expected the name of a file/)
    ])
  })

  it("has a line for each problem in the configuration itself", () => {
    const [only] = errorsOf(`{\n"operations": [\n{\n"file": 1}]}`)
    expect(only).toMatch(/^f:4:1: operations\[0\]\.file: expected the name of a file/)
  })
})

it("a thousand operations are read at once", () => {
  const operations = Array.from({ length: 1_000 }, (_, i) => ({
    ...forecast,
    id: `weather.n${i}`,
    path: `/apis/v1/weather/n${i}/{city}`,
    parameters: Array.from({ length: 5 }, (_, j) => ({
      name: `p${j}`,
      schema: { type: "string", description: "A town" }
    })),
    answer: { schema: { type: "array", items: { $ref: "#/schemas/Place" } } }
  }))
  expect(decoded({ upstreams, schemas: { Place: place }, operations }).operations).toHaveLength(1_000)
})
