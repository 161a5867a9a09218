import type { Catalogue } from "@tollgate/contract/Catalogue"
import * as Catalogues from "@tollgate/contract/Catalogue"
import * as Headers from "@tollgate/contract/Headers"
import * as Names from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import * as Effect from "effect/Effect"
import { refuse } from "../Refused.ts"
import { cacheable } from "./cacheable.ts"
import { json } from "./json.ts"
import type { Builtin } from "./Builtin.ts"
import { salesData } from "./salesData.ts"

/** The website's endpoints. Documents and hashes are made once; every answer names the contract that it belongs to. */
export const contracts = Effect.fnUntraced(function* (catalogue: Catalogue) {
  const source = OpenApi.source(catalogue)
  const contentHash = yield* OpenApi.contentHash(source)
  // Hashes the published operations, without the operator's names, bindings, prices and own operations.
  const docsRevision = yield* OpenApi.contentHash(OpenApi.source(Catalogues.make(operations, Names.defaults)))
  const headers = {
    [Headers.contractHash(catalogue.names)]: contentHash,
    [Headers.docsRevision(catalogue.names)]: docsRevision
  }

  const documentOf = (source: string): Builtin =>
    cacheable(json(source, headers), `"${contentHash}"`, "public, max-age=86400, immutable")
  const bundle = documentOf(source)
  const documents = new Map<string, Builtin>()
  const documentOfOne = (id: string): Builtin => {
    const known = documents.get(id) ?? documentOf(OpenApi.source(catalogue, id))
    documents.set(id, known)
    return known
  }

  const version = cacheable(
    json(JSON.stringify({ contentHash, docsRevision }), headers),
    `"${contentHash}.${docsRevision}"`,
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
      ? documentOfOne(id)(exchange)
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
