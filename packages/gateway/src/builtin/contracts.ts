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

/**
 * The endpoints of the website. The document and its hashes are made once, at start; every answer carries them, so that a
 * reader knows which contract it goes with.
 */
export const contracts = Effect.fnUntraced(function* (catalogue: Catalogue) {
  const source = OpenApi.source(catalogue)
  const contentHash = yield* OpenApi.contentHash(source)
  // The input is the operations as they are published, before an operator's names, bindings, prices and own ones.
  const docsRevision = yield* OpenApi.contentHash(OpenApi.source(Catalogues.make(operations, Names.defaults)))
  const headers = {
    [Headers.contractHash(catalogue.names)]: contentHash,
    [Headers.docsRevision(catalogue.names)]: docsRevision
  }

  const parts = new Map<string, string>()
  const part = (id: string): string => {
    const known = parts.get(id) ?? OpenApi.source(catalogue, id)
    parts.set(id, known)
    return known
  }

  const version: Builtin = () => Effect.succeed(json(JSON.stringify({ contentHash, docsRevision }), headers))

  const bytes: Builtin = ({ input: { query } }) => {
    if (query.hash !== contentHash) {
      return Effect.fail(
        refuse("contract_mismatch", "The contract has another hash; ask for its version again.", { headers })
      )
    }
    if (query.bundled !== undefined) return Effect.succeed(json(source, headers))
    const id = query.operation_id
    if (typeof id !== "string") {
      return Effect.fail(refuse("invalid_request", "Ask for bundled=1 or for an operation_id.", { headers }))
    }
    return catalogue.operations.some((operation) => Names.fill(operation.id, catalogue.names) === id)
      ? Effect.succeed(json(part(id), headers))
      : Effect.fail(refuse("route_not_found", "There is no operation of that id.", { headers }))
  }

  return {
    "contracts.version": version,
    "contracts.source": bytes,
    sales_api_data: yield* salesData(headers)
  } satisfies Record<string, Builtin>
})
