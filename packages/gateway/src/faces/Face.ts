import type * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"

type Answer<E, R> = Effect.Effect<HttpServerResponse, E, R>

/** A part of what the gateway serves over HTTP. It returns `undefined` for a request that another part answers. */
export type Face<E = never, R = never> = (request: HttpServerRequest) => Answer<E, R> | undefined

/** Each request goes to the first face that answers it, or else to the last, which answers all. One step for all faces. */
export const serve = <E, R, E2, R2>(
  faces: ReadonlyArray<Face<E, R>>,
  last: (request: HttpServerRequest) => Answer<E2, R2>
): Answer<E | E2, R | R2 | HttpServerRequest> =>
  HttpServerRequest.use((request): Answer<E | E2, R | R2> => {
    for (const face of faces) {
      const answer = face(request)
      if (answer !== undefined) return answer
    }
    return last(request)
  })
