import * as Catalogue from "@tollgate/contract/Catalogue"
import { fill } from "@tollgate/contract/Names"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import { operations } from "@tollgate/contract/operations"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import { Client } from "../../Client.ts"

/**
 * The content hash of the contract with this client's names and bindings, for `verifyContract`. A gateway has the same one if
 * its operator set only those. In its own module, because it needs every operation and the OpenAPI generator.
 */
export const contentHash: Effect.Effect<string, never, Client> = Effect.flatMap(Client, ({ bound, names }) => {
  const bindings = Object.fromEntries(
    operations.map((operation) => [fill(operation.id, names), bound(operation) ?? {}] as const)
  )
  return OpenApi.contentHash(OpenApi.source(Catalogue.make(operations, names, bindings)))
}).pipe(Effect.provide(Digest.layerWebCrypto))
