import type { Catalogue } from "@tollgate/contract/Catalogue"
import * as Catalogues from "@tollgate/contract/Catalogue"
import * as Headers from "@tollgate/contract/Headers"
import * as Names from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import * as Effect from "effect/Effect"
import { refuse } from "../Refused.ts"
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

  const sources = new Map<string, string>()
  const sourceOf = (id: string): string => {
    const known = sources.get(id) ?? OpenApi.source(catalogue, id)
    sources.set(id, known)
    return known
  }

  const version: Builtin = () => Effect.succeed(json(JSON.stringify({ contentHash, docsRevision }), headers))

  const sourceBytes: Builtin = ({ input: { query } }) => {
    if (query.hash !== contentHash) {
      return Effect.fail(
        refuse("contract_mismatch", "The contract has another hash; read its version again.", { headers })
      )
    }
    if (query.bundled !== undefined) return Effect.succeed(json(source, headers))
    const id = query.operation_id
    if (typeof id !== "string") {
      return Effect.fail(refuse("invalid_request", "Send bundled=1 or an operation_id.", { headers }))
    }
    return catalogue.operations.some((operation) => Names.fill(operation.id, catalogue.names) === id)
      ? Effect.succeed(json(sourceOf(id), headers))
      : Effect.fail(refuse("route_not_found", "There is no operation with this id.", { headers }))
  }

  return {
    "contracts.version": version,
    "contracts.source": sourceBytes,
    sales_api_data: yield* salesData(headers)
  } satisfies Record<string, Builtin>
})
