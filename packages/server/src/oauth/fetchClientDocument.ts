import type { Carrier } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { clientMetadata } from "./clientMetadata.ts"

const maxBytes = 16 * 1024

const decoder = new TextDecoder("utf-8", { fatal: true })

const notFound = () => new Response(null, { status: 404 })

const documentOf = (bytes: Uint8Array): Response => {
  try {
    const checked = clientMetadata(JSON.parse(decoder.decode(bytes)))
    return Result.isSuccess(checked) ? Response.json(checked.success) : notFound()
  } catch {
    return notFound()
  }
}

/**
 * Gets a client's metadata document from the address that is its id: by https, from a public address, without redirects,
 * in bounded time and size.
 */
export const fetchClientDocument =
  ({ carry }: Carrier["Service"], deadlineMillis: number, run: <A>(effect: Effect.Effect<A>) => Promise<A>) =>
  (url: string | URL | Request): Promise<Response> => {
    const { origin, pathname, protocol, search } = new URL(url instanceof Request ? url.url : url)
    if (protocol !== "https:") return Promise.resolve(notFound())
    const carried = carry({
      method: "GET",
      origin,
      path: pathname + search,
      headers: { accept: "application/json", "accept-encoding": "identity" },
      body: undefined,
      deadlineMillis,
      idleMillis: deadlineMillis,
      maxBytes,
      isStreamed: () => false
    })
    return run(
      Effect.match(carried, {
        onFailure: notFound,
        onSuccess: ({ body, status }) =>
          status === 200 && body instanceof Uint8Array && body.length <= maxBytes ? documentOf(body) : notFound()
      })
    )
  }
