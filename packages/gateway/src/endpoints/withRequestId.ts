import * as Headers from "@tollgate/contract/Headers"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as RequestIds from "../exchange/RequestIds.ts"
import type { EndpointGroup } from "./EndpointGroup.ts"

const name = Headers.requestId.toLowerCase()

/** Gives the answers of endpoint groups an id, if they have none: pages and documents are the same for all. */
export const withRequestId = Effect.map(
  RequestIds.make,
  (nextId) =>
    <E, R>({ answer, paths }: EndpointGroup<E, R>): EndpointGroup<E, R> => ({
      paths,
      answer: (request, path) => {
        const answered = answer(request, path)
        return (
          answered &&
          Effect.map(answered, (response) =>
            response.headers[name] === undefined ? HttpServerResponse.setHeader(response, name, nextId()) : response
          )
        )
      }
    })
)
