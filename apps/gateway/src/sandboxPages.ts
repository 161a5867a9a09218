import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"

type App<E, R> = Effect.Effect<HttpServerResponse, E, R>

/** What a browser opens itself: the platform's page where a link is approved, and the videos. */
const isPage = ({ method, url }: HttpServerRequest): boolean =>
  method === "GET" &&
  (url.startsWith("/videos/") || url === "/platform/authorize" || url.startsWith("/platform/authorize?"))

/** The sandbox is in this process, so the gateway's own address leads to its pages. */
export const inFront =
  <E, R>(sandbox: App<E, R>) =>
  <E2, R2>(app: App<E2, R2>): App<E | E2, R | R2 | HttpServerRequest> =>
    HttpServerRequest.use((request): App<E | E2, R | R2> => (isPage(request) ? sandbox : app))
