import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import * as OpenApi from "@tollgate/contract/openapi/OpenApi"
import { operations } from "@tollgate/contract/operations"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import { header } from "./ClientFunction.ts"
import type { Generated } from "./Generated.ts"

const current = OpenApi.contentHash(OpenApi.source(Catalogue.make(operations, defaults))).pipe(
  Effect.provide(Digest.layerWebCrypto)
)

/** The contract that the client expects of a gateway. */
export const docsRevision: Generated = {
  file: "packages/client/src/generated/docsRevision.ts",
  make: async () =>
    [
      header,
      "",
      "/**",
      " * The hash of the OpenAPI document of this client's operations, before any operator's names and bindings. Computing it in the",
      " * client would pull every operation into a bundle.",
      " */",
      `export const docsRevision = "${await Effect.runPromise(current)}"`,
      ""
    ].join("\n")
}
