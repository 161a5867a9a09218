import { describe, expect, it } from "@effect/vitest"
import { Document, type Json } from "@tollgate/testing/openapi/Document"
import type { Exchange } from "@tollgate/testing/openapi/Exchange"
import { judgeBy } from "@tollgate/testing/openapi/judge"

const id = { "X-Request-ID": { required: true, schema: { type: "string" } } }
const number = { type: "object", required: ["n"], properties: { n: { type: "integer" } } }

const root: Json = {
  paths: {
    "/double/{n}": {
      post: {
        security: [{ bearer: [] }],
        parameters: [
          { name: "n", in: "path", required: true, schema: { type: "integer" } },
          { name: "mode", in: "query", required: false, schema: { type: "string", enum: ["fast"] } }
        ],
        requestBody: { required: true, content: { "application/json": { schema: number } } },
        responses: {
          "200": {
            headers: { ...id, "X-Cost": { schema: { type: "integer" } } },
            content: {
              "application/json": { schema: { $ref: "#/components/schemas/Number" } },
              "text/event-stream": { schema: { type: "string" }, "x-item-schema": number, "x-last-item": "[DONE]" }
            }
          },
          "404": { headers: id, content: { "*/*": { schema: {}, "x-origin": "upstream" } } },
          default: { headers: id, content: { "*/*": { schema: {}, "x-origin": "upstream" } } }
        }
      }
    }
  },
  components: {
    schemas: { Number: number, data_error: { type: "object", required: ["error"] } },
    securitySchemes: { bearer: { type: "http", scheme: "bearer" } }
  }
}

const json = { "content-type": "application/json" }

const good: Exchange = {
  method: "POST",
  url: "/double/2",
  requestHeaders: { ...json, authorization: "Bearer x" },
  requestBody: Buffer.from('{"n":2}'),
  status: 200,
  headers: { ...json, "x-request-id": "req_1" },
  body: Buffer.from('{"n":4}'),
  fromUpstream: false
}

const judge = judgeBy(new Document(root))
const events = (text: string) => ({
  headers: { "content-type": "text/event-stream", "x-request-id": "req_1" },
  body: Buffer.from(text)
})
const refused = { headers: good.headers, body: Buffer.from('{"error":"no"}') }

describe("a proxy that knows the document", () => {
  it.each<readonly [string, Partial<Exchange>]>([
    ["what the document says", {}],
    ["a documented header", { headers: { ...good.headers, "x-cost": "3" } }],
    ["events and their end", events('data: {"n":1}\n\n: a comment\n\ndata: [DONE]\n\n')],
    ["another status of an upstream", { status: 418, fromUpstream: true }],
    ["an unknown path, refused", { ...refused, url: "/other", status: 404 }]
  ])("accepts %s", (_, change) => {
    expect(judge({ ...good, ...change })).toEqual([])
  })

  it.each<readonly [string, Partial<Exchange>, string]>([
    ["another status", { status: 201 }, "status 201"],
    ["a status of an upstream that it did not send", { status: 418 }, "status 418"],
    ["an upstream's body that it did not send", { status: 404 }, "content type"],
    ["another content type", { headers: { ...good.headers, "content-type": "text/html" } }, "content type"],
    ["another body", { body: Buffer.from('{"n":"4"}') }, "must be integer"],
    ["half a body", { body: Buffer.from('{"n":') }, "not JSON"],
    ["no body", { body: Buffer.from("") }, "empty"],
    ["an event that is not the documented one", events('data: {"n":"one"}\n\n'), "must be integer"],
    ["an event that is not JSON", events("data: [END]\n\n"), "not JSON"],
    ["a missing header", { headers: json }, "x-request-id"],
    ["an undocumented header", { headers: { ...good.headers, "x-other": "1" } }, "x-other"],
    ["a header of another type", { headers: { ...good.headers, "x-cost": "much" } }, "x-cost"],
    ["a request without a credential that is accepted", { requestHeaders: json }, "credential"],
    ["a parameter of the path that is accepted", { url: "/double/two" }, "path parameter n"],
    ["a parameter of the query that is accepted", { url: "/double/2?mode=slow" }, "query parameter mode"],
    ["an undocumented parameter that is accepted", { url: "/double/2?other=1" }, "query parameter other"],
    ["a wrong body that is accepted", { requestBody: Buffer.from("{}") }, "must have required property"],
    ["a missing body that is accepted", { requestBody: Buffer.from("") }, "body is missing"],
    ["an undocumented method", { method: "GET" }, "not documented"],
    ["an undocumented path", { url: "/other" }, "not documented"],
    ["a refusal in no known shape", { url: "/other", status: 404 }, "shape of no family"]
  ])("reports %s", (_, change, problem) => {
    expect(judge({ ...good, ...change }).join()).toContain(problem)
  })
})
