import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { client } from "@tollgate/contract/carrier/InProcess"
import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import { Composition, Http } from "@tollgate/gateway"
import * as Effect from "effect/Effect"
import { Host } from "./Host.ts"
import { unbilled } from "./switchedOff.ts"

/** A gateway without upstreams, ledger and limits. It needs `Keys`. */
export const unbilledHost = Effect.gen(function* () {
  const { gateway } = yield* Composition.make({ catalogue: Catalogue.make(operations, defaults), routes: [] }, unbilled)
  return Host.of({ baseUrl: "http://gateway.invalid", http: client(Http.app(gateway)) })
}).pipe(Effect.provideService(Carrier, { carry: () => Effect.never }), Effect.provide(Composition.layerCrypto))
