import { defaults, type Names } from "@tollgate/contract/Names"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import * as Utf8 from "@tollgate/contract/Utf8"
import { Books } from "./Books.ts"
import { rerank } from "./rerank/rerank.ts"
import * as Scenario from "./Scenario.ts"
import type { InvalidInput, Work } from "./Work.ts"

const upstreams: Readonly<Record<string, (request: HttpServerRequest) => Effect.Effect<Work, InvalidInput>>> = {
  "POST /v1/rerank": rerank
}

const error = (status: number, message: string, headers: Record<string, string> = {}) =>
  HttpServerResponse.jsonUnsafe(
    { error: { message, type: "sandbox_error", param: null, code: null } },
    { status, headers }
  )

const broken = (text: string) =>
  HttpServerResponse.stream(
    Stream.concat(Stream.succeed(Utf8.encode(text)), Stream.fail("connection broken on request")),
    {
      contentType: "application/json"
    }
  )

const withoutUsage = ({ usage: _, ...body }: Work["body"]) => body

const perform = (scenario: Scenario.Scenario, work: Work): HttpServerResponse.HttpServerResponse => {
  switch (scenario.kind) {
    case "reset":
      return broken("")
    case "truncated": {
      const text = JSON.stringify(work.body)
      return HttpServerResponse.text(text.slice(0, text.length / 2), { contentType: "application/json" })
    }
    case "no-usage":
      return HttpServerResponse.jsonUnsafe(withoutUsage(work.body))
    default:
      return HttpServerResponse.jsonUnsafe(work.body)
  }
}

/** Local upstreams as one HTTP app: behind a server of its own, or called in process through `client`. */
export const make = Effect.fnUntraced(function* (options: { readonly names?: Names } = {}) {
  const books = yield* Books
  const names = options.names ?? defaults

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const upstream = upstreams[`${request.method} ${request.url.split("?", 1)[0]}`]
    if (upstream === undefined) return error(404, "The sandbox has nothing at this address.")
    const scenario = Scenario.of(request, names)
    if (scenario.kind === "stall") return yield* Effect.never
    if (scenario.kind === "slow") yield* Effect.sleep(scenario.ms)
    if (scenario.kind === "html") return HttpServerResponse.text("<html>Welcome</html>", { contentType: "text/html" })
    if (scenario.kind === "status") {
      const headers: Record<string, string> =
        scenario.after === undefined ? {} : { "retry-after": String(scenario.after) }
      return error(scenario.status, `Status ${scenario.status}, as asked.`, headers)
    }
    return yield* upstream(request).pipe(
      Effect.tap((work) => books.record(work, request.headers["x-request-id"])),
      Effect.map((work) => perform(scenario, work)),
      Effect.catchTag("InvalidInput", ({ message }) => Effect.succeed(error(400, message)))
    )
  })
})
