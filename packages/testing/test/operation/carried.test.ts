import { describe, expect, it } from "@effect/vitest"
import { fromJsonSchema } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import type { Operation } from "@tollgate/contract/Operation"
import { OpenQuery } from "@tollgate/contract/QueryStyle"
import type { Target } from "@tollgate/gateway/upstream/Route"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { calls } from "@tollgate/testing/models"
import { anyJson, anyObject, customOperation } from "@tollgate/testing/operation/customOperation"
import { httpUpstream, providerAt, providerCredential, type Received } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { ServerResponse } from "node:http"

const bearer = { authorization: `Bearer ${key}` }
const json = (res: ServerResponse) => res.setHeader("content-type", "application/json").end('{"ok":true}')

interface World {
  readonly operation: Operation
  readonly target?: Partial<Target>
  readonly answer?: (res: ServerResponse) => void
}

/** A gateway with one own operation, and what its upstream received. */
const world = <A, E>(
  { answer = json, operation, target = {} }: World,
  use: (received: ReadonlyArray<Received>) => Effect.Effect<A, E, Host | TestGateway>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream(answer)
      const routes = [{ operation: operation.id, to: [{ provider: providerAt(port), weight: 1, ...target }] }]
      return yield* use(received).pipe(
        Effect.provide(
          Host.layerSockets(1_000_000).pipe(Layer.provideMerge(TestGateway.layer({ routes, operations: [operation] })))
        )
      )
    })
  )

const city = { path: Schema.Struct({ city: Schema.NonEmptyString }) }
const forecast = (own: Partial<Operation> = {}): Operation =>
  customOperation({ id: "weather.forecast", method: "GET", path: "/weather/{city}", request: city, ...own })

const messageOf = (answer: { readonly json: () => unknown }): unknown =>
  (answer.json() as { readonly error: { readonly message: unknown } }).error.message

describe("the upstream's path", () => {
  const target = { path: "/v3/{city}/forecast" }

  it.live("gets the caller's parameters, each encoded once", () =>
    world({ operation: forecast({ otherParameters: true }), target }, (received) =>
      Effect.gen(function* () {
        for (const written of ["Z%C3%BCrich", "a%2Fb", "%252F", "a%20b", "x%3Fy%23z", "%0d%0aX-Evil:%201", "..."]) {
          expect((yield* ask("GET", `/weather/${written}?units=si`, bearer)).status, written).toBe(200)
        }
        expect(received.map(({ url }) => url)).toEqual([
          "/v3/Z%C3%BCrich/forecast?units=si",
          "/v3/a%2Fb/forecast?units=si",
          "/v3/%252F/forecast?units=si",
          "/v3/a%20b/forecast?units=si",
          "/v3/x%3Fy%23z/forecast?units=si",
          "/v3/%0D%0AX-Evil:%201/forecast?units=si",
          "/v3/.../forecast?units=si"
        ])
      })
    )
  )

  it.live("never becomes another one by dot segments, not even of two parameters together", () => {
    const request = { path: Schema.Struct({ a: Schema.NonEmptyString, b: Schema.NonEmptyString }) }
    const operation = forecast({ path: "/weather/{a}/{b}", request })
    return world({ operation, target: { path: "/v3/{a}{b}/x" } }, (received) =>
      Effect.gen(function* () {
        expect((yield* ask("GET", "/weather/x/%2e%2e", bearer)).status).toBe(404)
        expect((yield* ask("GET", "/weather/x/..%2F..%2Fadmin", bearer)).status).toBe(404)
        expect((yield* ask("GET", "/weather/a/b", bearer)).status).toBe(200)
        expect(received.map(({ url }) => url)).toEqual(["/v3/ab/x"])
      })
    )
  })

  it.live("takes parameters under the upstream's name too", () =>
    world({ operation: forecast(), target: { path: "/v3/{place}", names: { path: { city: "place" } } } }, (received) =>
      Effect.gen(function* () {
        expect((yield* ask("GET", "/weather/oslo", bearer)).status).toBe(200)
        expect(received[0]?.url).toBe("/v3/oslo")
      })
    )
  )

  it.live("that asks for a parameter which the operation lacks is the operator's mistake, and costs nothing", () =>
    world({ operation: forecast(), target: { path: "/v3/{town}" } }, (received) =>
      Effect.gen(function* () {
        const answer = yield* ask("GET", "/weather/oslo", bearer)
        expect([answer.status, received.length]).toEqual([503, 0])
        expect(yield* calls).toMatchObject([{ state: "released" }])
      })
    )
  )
})

describe("renamed parameters", () => {
  it.live("of the query reach the upstream under its names, with their encoding", () => {
    const query = OpenQuery({ days: Schema.optionalKey(Schema.String), per_page: Schema.optionalKey(Schema.String) })
    const operation = forecast({ request: { ...city, query }, otherParameters: true })
    const target = { names: { query: { per_page: "limit", days: "per_page", odd: "a&b" } } }
    return world({ operation, target }, (received) =>
      Effect.gen(function* () {
        const sent = "days=1%2B1&per%5Fpage=5&odd&other=%C3%A4+b"
        expect((yield* ask("GET", `/weather/oslo?${sent}`, bearer)).status).toBe(200)
        expect(received[0]?.url).toBe("/weather/oslo?per_page=1%2B1&limit=5&a%26b&other=%C3%A4+b")
        const taken = yield* ask("GET", "/weather/oslo?limit=100000", bearer)
        expect([taken.status, messageOf(taken), received.length]).toEqual([
          400,
          "limit: this parameter is called per_page here.",
          1
        ])
        expect(yield* calls).toMatchObject([{ state: "settled" }, { state: "released" }])
      })
    )
  })

  it.live("of the body are renamed in place, and all other bytes stay", () => {
    const operation = forecast({ method: "POST", request: { ...city, body: anyJson } })
    const target = { names: { body: { days: "n", text: "q" } } }
    return world({ operation, target }, (received) =>
      Effect.gen(function* () {
        const send = (body: string) => ask("POST", "/weather/oslo", bearer, body)
        expect((yield* send('{ "d\\u0061ys" : 12345678901234567890, "in": {"days": 1}, "text":"é" }')).status).toBe(200)
        expect(received[0]?.body).toBe('{ "n" : 12345678901234567890, "in": {"days": 1}, "q":"é" }')
        expect((yield* send("[1]")).status).toBe(200)
        expect(received[1]?.body).toBe("[1]")
        const taken = yield* send('{"days":1,"n":2}')
        expect([taken.status, messageOf(taken), received.length]).toEqual([
          400,
          "n: this field is called days here.",
          2
        ])
      })
    )
  })
})

describe("headers", () => {
  const header = Schema.Struct({ "x-units": Schema.optionalKey(Schema.Literals(["si", "us"])) })
  const operation = forecast({ request: { ...city, header } })

  it.live("that are parameters are checked and sent, under the upstream's name", () =>
    world({ operation, target: { names: { header: { "x-units": "X-System" } } } }, (received) =>
      Effect.gen(function* () {
        expect((yield* ask("GET", "/weather/oslo", { ...bearer, "X-Units": "si" })).status).toBe(200)
        expect(received[0]?.headers).toMatchObject({ "x-system": "si" })
        expect(received[0]?.headers).not.toHaveProperty("x-units")
        const wrong = yield* ask("GET", "/weather/oslo", { ...bearer, "x-units": "furlongs" })
        expect([wrong.status, received.length]).toEqual([400, 1])
        expect((yield* ask("GET", "/weather/oslo", bearer)).status).toBe(200)
      })
    )
  )

  it.live("that are parameters are part of the request that an idempotency key stands for", () =>
    world({ operation }, () =>
      Effect.gen(function* () {
        const send = (units: string) =>
          ask("GET", "/weather/oslo", {
            ...bearer,
            "x-units": units,
            "idempotency-key": "k",
            "x-tollgate-idempotency-mode": "replay"
          })
        expect([(yield* send("si")).status, (yield* send("si")).status]).toEqual([200, 200])
        expect((yield* send("us")).status).toBe(422)
      })
    )
  )

  it.live("that the operator forwards are sent, but never a credential, nor what belongs to the gateway", () => {
    const secrets = {
      "x-api-key": "caller-secret",
      "x-goog-api-key": "caller-secret",
      cookie: "session=caller-secret",
      "proxy-authorization": "Basic caller-secret",
      "x-tollgate-tags": "team=caller-secret"
    }
    const forwardedHeaders = [
      "accept-language",
      "x-custom",
      "authorization",
      "host",
      "content-length",
      ...Object.keys(secrets)
    ]
    return world({ operation: forecast(), target: { forwardedHeaders } }, (received) =>
      Effect.gen(function* () {
        const headers = { ...bearer, ...secrets, "accept-language": "nb" }
        expect((yield* ask("GET", "/weather/oslo", headers)).status).toBe(200)
        expect(received[0]?.headers).toMatchObject({ "accept-language": "nb", authorization: providerCredential })
        expect(received[0]?.raw).not.toMatch(/caller-secret|tg_0000/)
        expect((yield* ask("GET", "/weather/oslo", { ...headers, "x-custom": key })).status).toBe(400)
        expect(received).toHaveLength(1)
      })
    )
  })
})

describe("a form", () => {
  const operation = forecast({ method: "POST", request: { ...city, body: anyJson } })
  const target = { body: "form", names: { body: { days: "n" } } } as const

  it.live("is made of the caller's JSON: lists repeat the name, numbers keep their digits", () =>
    world({ operation, target }, (received) =>
      Effect.gen(function* () {
        const body = '{"days":12345678901234567890,"tags":["a b","c&d",true],"none":null,"text":"é=\\r\\n","empty":[]}'
        expect((yield* ask("POST", "/weather/oslo", bearer, body)).status).toBe(200)
        expect(received[0]?.headers["content-type"]).toBe("application/x-www-form-urlencoded")
        expect(received[0]?.body).toBe("n=12345678901234567890&tags=a+b&tags=c%26d&tags=true&text=%C3%A9%3D%0D%0A")
      })
    )
  )

  it.live("cannot hold objects: the refusal names the field", () =>
    world({ operation, target }, (received) =>
      Effect.gen(function* () {
        for (const body of ['{"place":{"city":"oslo"}}', '{"place":[[1]]}', '{"place":[{}]}']) {
          const answer = yield* ask("POST", "/weather/oslo", bearer, body)
          expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringMatching(/^place: /)])
        }
        expect((yield* ask("POST", "/weather/oslo", bearer, "[1]")).status).toBe(400)
        expect((yield* ask("POST", "/weather/oslo", bearer, '{"n":1}')).status).toBe(400)
        expect(received).toEqual([])
        expect(new Set((yield* calls).map(({ state }) => state))).toEqual(new Set(["released"]))
      })
    )
  )
})

describe("methods and bodies", () => {
  it.live("PUT, PATCH and DELETE are sent with their body, and DELETE without one if it is left out", () =>
    Effect.gen(function* () {
      for (const method of ["PUT", "PATCH", "DELETE"] as const) {
        const operation = forecast({ method, request: { ...city, body: anyObject, optionalBody: true } })
        yield* world({ operation }, (received) =>
          Effect.gen(function* () {
            expect((yield* ask(method, "/weather/oslo", bearer, '{"a":1}')).status).toBe(200)
            expect((yield* ask(method, "/weather/oslo", bearer)).status).toBe(200)
            expect((yield* ask(method, "/weather/oslo", bearer, "[]")).status).toBe(400)
            expect(received.map(({ body, headers, method }) => [method, body, headers["content-type"]])).toEqual([
              [method, '{"a":1}', "application/json"],
              [method, "", undefined]
            ])
          })
        )
      }
    })
  )

  it.live("a body that is required is asked for", () =>
    world({ operation: forecast({ method: "PUT", request: { ...city, body: Schema.Struct({}) } }) }, () =>
      Effect.gen(function* () {
        expect((yield* ask("PUT", "/weather/oslo", bearer)).status).toBe(400)
      })
    )
  )

  it.live("no content is an answer: it is charged, and repeated under its idempotency key", () =>
    world({ operation: forecast({ method: "DELETE" }), answer: (res) => res.writeHead(204).end() }, (received) =>
      Effect.gen(function* () {
        const headers = { ...bearer, "idempotency-key": "k", "x-tollgate-idempotency-mode": "replay" }
        for (const cost of ["1000", undefined]) {
          const answer = yield* ask("DELETE", "/weather/oslo", headers)
          expect([answer.status, answer.text, answer.headers["content-type"]]).toEqual([204, "", undefined])
          expect(answer.headers["x-tollgate-cost-micros-usd"]).toBe(cost)
        }
        expect(received.length).toBe(1)
        expect(Object.keys(Headers.empty), "what all answers without headers share").toEqual([])
        expect((yield* calls).map(({ charged, state }) => [state, charged])).toEqual([
          ["settled", 1_000],
          ["replayed", 0]
        ])
      })
    )
  )

  it.live("an answer of another type than JSON is delivered and charged only if the operation has that type", () =>
    Effect.gen(function* () {
      const png = (res: ServerResponse) => res.setHeader("content-type", "image/png").end(Buffer.from([1, 255, 0]))
      const charged = (contentType: string) =>
        world({ operation: forecast({ contentType }), answer: png }, (received) =>
          Effect.gen(function* () {
            const answer = yield* ask("GET", "/weather/oslo", bearer)
            expect(received[0]?.headers.accept).toBe(contentType)
            const isDelivered = answer.headers["content-type"] === "image/png" && answer.bytes.length === 3
            return [answer.status, isDelivered, (yield* calls)[0]?.charged]
          })
        )
      expect(yield* charged("image/png")).toEqual([200, true, 1_000])
      expect(yield* charged("image/*")).toEqual([200, true, 1_000])
      expect(yield* charged("application/json")).toEqual([502, false, 0])
      expect(yield* charged("text/csv")).toEqual([502, false, 0])
    })
  )
})

describe("a body that a schema of the operator's describes", () => {
  const body = fromJsonSchema({
    schema: { type: "object", properties: { n: { type: "integer" }, text: { type: "string" } } },
    definitions: {}
  })
  const operation = customOperation({ id: "weather.report", method: "POST", path: "/report", request: { body } })

  it.live("is checked, unless it is so large that the check could hold up other callers", () =>
    world({ operation: { ...operation, bodyLimit: 1_000_000 } }, (received) =>
      Effect.gen(function* () {
        const send = (bytes: number) =>
          ask("POST", "/report", bearer, JSON.stringify({ n: "none", text: "a".repeat(bytes) }))
        expect((yield* send(200_000)).status).toBe(400)
        expect((yield* send(300_000)).status).toBe(200)
        expect(received).toHaveLength(1)
      })
    )
  )
})
