import * as Catalogue from "@tollgate/contract/Catalogue"
import { fill } from "@tollgate/contract/Names"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import { operations } from "@tollgate/contract/operations"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import { Client } from "../Client.ts"

/**
 * Of the contract under this client's own names and bindings, for `verifyContract`: a gateway has the same if its operator
 * set those and nothing else. It takes every operation and the maker of the document, and so has a module of its own.
 */
export const contentHash: Effect.Effect<string, never, Client> = Effect.flatMap(Client, ({ bound, names }) => {
  const bindings = Object.fromEntries(
    operations.map((operation) => [fill(operation.id, names), bound(operation) ?? {}] as const)
  )
  return OpenApi.contentHash(OpenApi.source(Catalogue.make(operations, names, bindings)))
}).pipe(Effect.provide(Digest.layerWebCrypto))
