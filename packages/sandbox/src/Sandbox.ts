import { defaults, type Names } from "@tollgate/contract/Names"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import type { BilledAnswer, Counts, Streamed } from "./BilledAnswer.ts"
import { BillingLog } from "./BillingLog.ts"
import { eventStream } from "./eventStream.ts"
import { protocols } from "./protocols.ts"
import { type Route, router } from "./Route.ts"
import * as Scenario from "./Scenario.ts"
import { type ErrorFormat, plain, type Refusal } from "./wire/refusal.ts"

const broken = Stream.fail("connection broken by the scenario")

const withoutUsage = ({ meta: _, usage: __, usageMetadata: ___, ...body }: Readonly<Record<string, unknown>>) => body

/** An answer that is not a stream, changed or broken by the scenario. */
const answer = (
  scenario: Scenario.Scenario,
  result: Exclude<BilledAnswer, Streamed>
): HttpServerResponse.HttpServerResponse => {
  const { headers = {}, status = 200 } = result
  const contentType = "body" in result ? "application/json" : result.contentType
  const options = { headers, status, contentType }
  if (scenario.kind === "reset") return HttpServerResponse.stream(broken, options)
  if ("bytes" in result) {
    const { bytes } = result
    return HttpServerResponse.uint8Array(
      scenario.kind === "truncated" ? bytes.slice(0, bytes.length / 2) : bytes,
      options
    )
  }
  const text = JSON.stringify(scenario.kind === "no-usage" ? withoutUsage(result.body) : result.body)
  return HttpServerResponse.uint8Array(
    Utf8.encode(scenario.kind === "truncated" ? text.slice(0, text.length / 2) : text),
    options
  )
}

const refused = (format: ErrorFormat, refusal: Refusal, headers: Record<string, string> = {}) =>
  HttpServerResponse.jsonUnsafe(format(refusal), { status: refusal.status, headers })

const modelOf = ({ namesModel, parameters }: Route, request: HttpServerRequest): Effect.Effect<string | undefined> => {
  if (!namesModel) return Effect.undefined
  if (parameters["model"] !== undefined) return Effect.succeed(parameters["model"])
  return request.json.pipe(
    Effect.map((body) => (Predicate.isObject(body) && typeof body["model"] === "string" ? body["model"] : undefined)),
    Effect.orElseSucceed(() => undefined)
  )
}

export type App = Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest>

export interface Options {
  readonly names?: Names
  /** The gateway's callback, the only address that the platform's page redirects to. Default: it redirects nowhere. */
  readonly redirectUri?: string | undefined
}

/** All local upstreams as one HTTP app, to run behind a server or to call in process. */
export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const billingLog = yield* BillingLog
  const names = options.names ?? defaults
  const { redirectUri } = options
  const find = router(protocols, names)

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const requestId = request.headers["x-request-id"]
    const route = find(request.method, request.url)
    if (route === undefined) return refused(plain, { status: 404, message: "The sandbox has no such route." })
    const scenario = Scenario.of(request, names, yield* modelOf(route, request))
    if (scenario.kind === "stall" && scenario.after === undefined) return yield* Effect.never
    if (scenario.kind === "slow") yield* Effect.sleep(scenario.ms)
    if (scenario.kind === "html") return HttpServerResponse.text("<html>Welcome</html>", { contentType: "text/html" })
    if (scenario.kind === "status") {
      const { after, status } = scenario
      const headers: Record<string, string> = after === undefined ? {} : { "retry-after": String(after) }
      const message = `Status ${status}, as the scenario asked.`
      return refused(route.errorFormat, { status, message, requestId }, headers)
    }
    return yield* Effect.gen(function* () {
      const result = yield* route.handler(request, { parameters: route.parameters, scenario, names, redirectUri })
      const record = (billed: Counts) =>
        Object.keys(billed).length === 0
          ? Effect.void
          : billingLog.record({ operation: result.operation, billed }, requestId)
      if ("events" in result) {
        return HttpServerResponse.stream(eventStream(result, scenario, record), {
          contentType: result.events.framing.contentType,
          headers: { "cache-control": "no-cache", ...result.headers }
        })
      }
      if (scenario.kind === "stall") return yield* Effect.never
      yield* record(result.billed)
      return answer(scenario, result)
    }).pipe(
      Effect.catchTag("InvalidInput", ({ code, message, param, status = 400 }) =>
        Effect.succeed(refused(route.errorFormat, { status, message, code, param, requestId }))
      )
    )
  })
})
