import { Carrier, NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import { readBounded } from "../../../internal/readBounded.ts"
import { maxDocumentBytes } from "./signedSnapshot.ts"

const deadlineMillis = 5_000
const urlParts = /^(https?:\/\/[^/?#]+)([^#]*)$/

/** Gets a document from an address. Only 200 is an answer; redirects are not followed. */
export const fetchDocument = (url: string, isPrivate: boolean) =>
  Carrier.use(({ carry }) => {
    const [, origin = url, path = ""] = urlParts.exec(url) ?? []
    return carry({
      method: "GET",
      origin,
      path: path === "" ? "/" : path,
      headers: { accept: "application/jose, */*", "accept-encoding": "identity" },
      body: undefined,
      deadlineMillis,
      idleMillis: deadlineMillis,
      maxBytes: maxDocumentBytes,
      private: isPrivate,
      isStreamed: () => false
    })
  }).pipe(
    Effect.flatMap(({ body, status }) =>
      status === 200 ? readBounded(body, maxDocumentBytes) : Effect.fail(new NotCarried({ why: "broken" }))
    )
  )
