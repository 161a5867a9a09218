import * as Effect from "effect/Effect"
import type { FixedDocument } from "../../document/FixedDocument.ts"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import type { Answer } from "../../exchange/Answer.ts"
import type { Builtin } from "../../exchange/Builtin.ts"

/** A document that may be cached; 304 for a caller who has it already. */
export const cacheable =
  (document: FixedDocument, headers: Answer["headers"], cacheControl: string): Builtin =>
  ({ request }) =>
    Effect.map(document.choose(request.headers), ({ bytes, headers: { vary, ...chosen } }) => ({
      status: bytes === undefined ? 304 : 200,
      contentType: "application/json",
      // An answer to another origin has other headers.
      headers: { ...headers, ...chosen, "cache-control": cacheControl, vary: `Origin, ${vary}` },
      bytes: bytes ?? emptyBytes
    }))
