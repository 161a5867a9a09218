import { type Composition, Ledger } from "@tollgate/gateway"
import { Limits } from "@tollgate/gateway/limits/Limits"
import * as Layer from "effect/Layer"

type Services<A, E, R> = (inForce: Composition.InForce) => Layer.Layer<A, E, R>

/** These services, and every request is let in. */
export const withoutLimits =
  <A, E, R>(services: Services<A, E, R>) =>
  (inForce: Composition.InForce) =>
    Layer.merge(services(inForce), Limits.layerOff)

/** Neither ledger nor limits: the gateway only routes. */
export const unbilled = () => Layer.merge(Ledger.layerOff, Limits.layerOff)
