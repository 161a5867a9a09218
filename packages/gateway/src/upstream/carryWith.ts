import type { Carrier, Incoming, NotCarried, Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import type { Provider } from "./Provider.ts"

/** Sends a request, and once more with the other credential if the first is refused: a 401 means that nothing ran. */
export const carryWith = (
  carry: Carrier["Service"]["carry"],
  { credential, name }: Provider,
  make: () => Outgoing
): Effect.Effect<Incoming, NotCarried> => {
  const rotation = credential?.rotation
  if (rotation === undefined) return carry(make())
  const used = rotation.current
  return Effect.flatMap(carry(make()), (incoming) => {
    if (incoming.status !== 401) return Effect.succeed(incoming)
    const again = Effect.suspend(() => carry(make()))
    return rotation.refused(used)
      ? Effect.andThen(
          Effect.logWarning("the upstream refused a credential; its other one is used", { upstream: name }),
          again
        )
      : again
  })
}
