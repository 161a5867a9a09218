import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import { operations } from "@tollgate/contract/operations"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type { Generated } from "./Generated.ts"

const current = OpenApi.contentHash(OpenApi.source(Catalogue.make(operations, defaults))).pipe(
  Effect.provide(Digest.layerWebCrypto)
)

/** The contract that the client expects of a gateway. */
export const docsRevision: Generated = {
  file: "packages/client/src/after/contract/verifyContract.ts",
  make: async (text) => {
    const hash = await Effect.runPromise(current)
    return text.replace(/(?<=const docsRevision = ")[^"]*/, hash)
  }
}
