import type { Carrier, Incoming, NotCarried, Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { Provider } from "./Provider.ts"

/** Two credentials of one upstream, while one replaces the other. */
export class Rotation {
  readonly all: readonly [Redacted.Redacted, Redacted.Redacted]
  #current: Redacted.Redacted

  constructor(first: Redacted.Redacted, second: Redacted.Redacted) {
    this.all = [first, second]
    this.#current = first
  }

  get current(): Redacted.Redacted {
    return this.#current
  }

  /** The upstream refused this one. Returns whether that changes the current one. */
  refused(used: Redacted.Redacted): boolean {
    if (used !== this.#current) return false
    const [first, second] = this.all
    this.#current = used === first ? second : first
    return true
  }
}

/** A credential that is the first or the second of a rotation. */
export const rotating = (header: string, rotation: Rotation): NonNullable<Provider["credential"]> => ({
  header,
  rotation,
  get value() {
    return rotation.current
  }
})

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
