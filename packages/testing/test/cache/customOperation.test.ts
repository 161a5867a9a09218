import { expect, it } from "@effect/vitest"
import { countTokens } from "@tollgate/contract/operations/countTokens"
import { OpenQuery } from "@tollgate/contract/QueryStyle"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { customOperation } from "@tollgate/testing/operation/customOperation"
import { httpUpstream, providerAt } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const operation = {
  ...customOperation({
    id: "weather.forecast",
    method: "GET",
    path: "/weather",
    request: { header: OpenQuery({ "x-units": Schema.optionalKey(Schema.NonEmptyString) }) }
  }),
  kept: { seconds: 60, share: 0n }
}

it.live("a kept answer of an own operation is for calls with the same header parameters and forwarded headers", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream((res) =>
        res.setHeader("content-type", "application/json").end('{"ok":true}')
      )
      const target = { provider: providerAt(port), weight: 1, forwardedHeaders: ["accept-language"] }
      const routes = [{ operation: operation.id, to: [target] }]
      const forecast = (headers: Readonly<Record<string, string>>) =>
        Effect.map(
          ask("GET", "/weather", { authorization: `Bearer ${key}`, "x-tollgate-cache": "use", ...headers }),
          (answer) => answer.headers["x-tollgate-cache"]?.replace(/;.*/, "")
        )
      yield* Effect.gen(function* () {
        for (const headers of [{}, { "x-units": "si" }, { "x-units": "us" }, { "accept-language": "de" }]) {
          expect([yield* forecast(headers), yield* forecast(headers)]).toEqual(["miss", "hit"])
        }
        expect(yield* forecast({ "x-other": "1" })).toBe("hit")
        expect(received).toHaveLength(4)
      }).pipe(
        Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ routes, operations: [operation] }))))
      )
    })
  )
)

it.live("a kept answer is for calls with the same forwarded headers, also over the route of another operation", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { port, received } = yield* httpUpstream((res) =>
        res.setHeader("content-type", "application/json").end('{"input_tokens":1}')
      )
      const provider = { ...providerAt(port), protocol: "anthropic", forwardedHeaders: ["x-team"] }
      const routes = [{ operation: "messages", to: [{ provider, weight: 1 }] }]
      const operations = [{ ...countTokens, kept: { seconds: 60, share: 0n } }]
      const count = (team: string) =>
        ask(
          "POST",
          "/v1/messages/count_tokens",
          { authorization: `Bearer ${key}`, "x-tollgate-cache": "use", "x-team": team },
          '{"model":"m","messages":[]}'
        )
      yield* Effect.gen(function* () {
        for (const team of ["a", "b", "a"]) yield* count(team)
        expect(received.map(({ headers }) => headers["x-team"])).toEqual(["a", "b"])
      }).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(TestGateway.layer({ routes, operations })))))
    })
  )
)
