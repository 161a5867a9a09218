import type { Catalogue } from "@tollgate/contract/Catalogue"
import * as Catalogues from "@tollgate/contract/Catalogue"
import * as Headers from "@tollgate/contract/Headers"
import * as Names from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import * as Utf8 from "@tollgate/contract/Utf8"
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import { refuse } from "@tollgate/contract/errors/Refused"
import { Compression } from "../../document/Compression.ts"
import { fixedDocument, type FixedDocument } from "../../document/FixedDocument.ts"
import type { Builtin, Answer } from "../../exchange/Reply.ts"
import { salesData } from "./salesData.ts"
import { emptyBytes } from "../../internal/emptyBytes.ts"

/** A document that may be cached; 304 for a caller who has it already. */
const cacheable =
  (document: FixedDocument, headers: Answer["headers"], cacheControl: string): Builtin =>
  ({ request }) =>
    Effect.map(document.choose(request.headers), ({ bytes, headers: { vary, ...chosen } }) => ({
      status: bytes === undefined ? 304 : 200,
      contentType: "application/json",
      // An answer to another origin has other headers.
      headers: { ...headers, ...chosen, "cache-control": cacheControl, vary: `Origin, ${vary}` },
      bytes: bytes ?? emptyBytes
    }))

const make = Effect.fnUntraced(function* (catalogue: Catalogue) {
  const compress = yield* Compression
  const source = yield* OpenApi.sourceInSteps(catalogue)
  const contentHash = yield* OpenApi.contentHash(source)
  // Hashes the published operations, without the operator's names, bindings, prices and own operations.
  const docsRevision = yield* OpenApi.contentHash(OpenApi.source(Catalogues.make(operations, Names.defaults)))
  const headers = {
    [Headers.contractHash(catalogue.names)]: contentHash,
    [Headers.docsRevision(catalogue.names)]: docsRevision
  }

  const documentOf = (source: string): Effect.Effect<Builtin> =>
    Effect.map(fixedDocument(contentHash, Utf8.encode(source), compress), (document) =>
      cacheable(document, headers, "public, max-age=86400, immutable")
    )
  const bundle = yield* documentOf(source)
  const documents = new Map<string, Builtin>()
  const documentOfOne = Effect.fnUntraced(function* (id: string) {
    const known = documents.get(id) ?? (yield* documentOf(OpenApi.source(catalogue, id)))
    documents.set(id, known)
    return known
  })

  const version = cacheable(
    yield* fixedDocument(
      `${contentHash}.${docsRevision}`,
      Utf8.encode(JSON.stringify({ contentHash, docsRevision })),
      compress
    ),
    headers,
    "public, max-age=60"
  )

  const sourceBytes: Builtin = (exchange) => {
    const { query } = exchange.input
    if (query.hash !== contentHash) {
      return Effect.fail(
        refuse("contract_mismatch", "The contract has another hash; read it at /api/contracts/version.", { headers })
      )
    }
    if (query.bundled !== undefined) return bundle(exchange)
    const id = query.operation_id
    if (typeof id !== "string") {
      return Effect.fail(
        refuse("invalid_request", "Send bundled=1 for the whole document, or an operation_id.", { headers })
      )
    }
    return catalogue.operations.some((operation) => Names.fill(operation.id, catalogue.names) === id)
      ? Effect.flatMap(documentOfOne(id), (document) => document(exchange))
      : Effect.fail(
          refuse("route_not_found", "There is no operation with this id; the bundled document lists all.", { headers })
        )
  }

  return {
    "contracts.version": version,
    "contracts.source": sourceBytes,
    sales_api_data: yield* salesData(headers)
  } satisfies Record<string, Builtin>
})

type Contracts = Effect.Success<ReturnType<typeof make>>

/**
 * The website's endpoints. Documents and hashes are made once, for the first request, because that takes long with many
 * operations; every answer names the contract that it belongs to.
 */
export const contracts = Effect.fnUntraced(function* (catalogue: Catalogue) {
  const made = yield* Effect.cached(Effect.provideContext(make(catalogue), yield* Effect.context<Digest>()))
  const later =
    (id: keyof Contracts): Builtin =>
    (exchange) =>
      Effect.flatMap(made, (builtins) => builtins[id](exchange))
  return {
    "contracts.version": later("contracts.version"),
    "contracts.source": later("contracts.source"),
    sales_api_data: later("sales_api_data")
  } satisfies Record<keyof Contracts, Builtin>
})
