import { expect, it } from "@effect/vitest"
import { Carrier, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as InProcess from "@tollgate/contract/carrier/InProcess"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"

const app = HttpServerRequest.HttpServerRequest.use(({ headers, url }) =>
  Effect.succeed(HttpServerResponse.text(`app ${url} ${headers["host"]}`))
)

const network = Layer.succeed(Carrier, {
  carry: ({ headers, origin, path }) =>
    Effect.succeed({ status: 200, headers: {}, body: Utf8.encode(`network ${origin}${path} ${headers["host"]}`) })
})

const carried = (origin: string, path: string) => {
  const outgoing: Outgoing = {
    method: "GET",
    origin,
    path,
    headers: { host: "caller.invalid" },
    body: undefined,
    deadlineMillis: 1_000,
    idleMillis: 1_000,
    isStreamed: () => false
  }
  return Effect.map(
    Carrier.use(({ carry }) => carry(outgoing)),
    ({ body }) => (body instanceof Uint8Array ? Utf8.decode(body) : "a stream")
  )
}

it.effect("requests to one origin are answered by an app in this process, all others go to the network", () =>
  Effect.gen(function* () {
    expect(yield* carried("http://app.invalid", "/a?b=c")).toBe("app /a?b=c gateway.invalid")
    expect(yield* carried("http://app.invalid:81", "/a")).toBe("network http://app.invalid:81/a caller.invalid")
    expect(yield* carried("https://app.invalid", "/a")).toBe("network https://app.invalid/a caller.invalid")
  }).pipe(
    Effect.provide(
      InProcess.layer({ origin: "http://app.invalid", app, host: "gateway.invalid" }).pipe(Layer.provide(network))
    )
  )
)
