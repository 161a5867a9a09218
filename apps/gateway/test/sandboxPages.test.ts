import { EndpointGroup } from "@tollgate/gateway"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import { sandboxPages } from "../src/pages/limitedPages.ts"

const page = Effect.succeed(HttpServerResponse.text("a page"))
const app = EndpointGroup.serve([sandboxPages(() => page)], () => Effect.succeed(HttpServerResponse.text("the app")))

const get = (url: string, address: string) =>
  Effect.provideService(
    app,
    HttpServerRequest.HttpServerRequest,
    HttpServerRequest.fromWeb(new Request(`http://gateway.invalid${url}`)).modify({
      url,
      remoteAddress: Option.some(address)
    })
  )

it.effect("pages of the sandbox are limited by address, and the rest of the app is not", () =>
  Effect.gen(function* () {
    for (let i = 0; i < 60; i++) {
      const { headers, status } = yield* get("/platform/authorize?client_id=x", "203.0.113.7")
      expect([status, headers["x-content-type-options"]]).toEqual([200, "nosniff"])
    }
    const refused = yield* get("/videos/x.mp4", "203.0.113.7")
    expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "1"])
    expect((yield* get("/v1/rerank", "203.0.113.7")).status).toBe(200)
    expect((yield* get("/videos/x.mp4", "203.0.113.8")).status).toBe(200)
  })
)
