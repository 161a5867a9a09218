import type { AddressLimit, Machines } from "@tollgate/gateway"
import { isMachineId } from "@tollgate/gateway/driver"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { createHash, timingSafeEqual } from "node:crypto"

const sha256 = (text: string) => createHash("sha256").update(text).digest()

interface Checked {
  readonly isRight: boolean
  /** More than 0: too many wrong secrets came from this address, and this one was not compared. */
  readonly waitMillis: number
}

/** Checks the secrets of clients. Wrong ones from one address are slowed down, as wrong admin tokens are. */
export const make = (wrong: AddressLimit, machines: Pick<Machines["Service"], "digestOf">) => {
  const addresses = new WeakMap<object, string>()
  return {
    /** Remembers from where a request came, while it is answered. */
    cameFrom: (request: object, address: string | undefined): void => {
      if (address !== undefined) addresses.set(request, address)
    },
    check: Effect.fnUntraced(function* (
      request: object | undefined,
      client: { readonly clientId: string; readonly clientSecret?: string | undefined },
      sent: string
    ) {
      const { clientId, clientSecret } = client
      const given = isMachineId(clientId) ? yield* machines.digestOf(clientId, sent) : sent
      const now = yield* Clock.currentTimeMillis
      const address = request && addresses.get(request)
      // In one step, so that guesses sent at the same time count too.
      const waitMillis = wrong.wait(address, now)
      if (waitMillis > 0) return { isRight: false, waitMillis } satisfies Checked
      const isRight = clientSecret !== undefined && timingSafeEqual(sha256(given), sha256(clientSecret))
      if (!isRight) wrong.take(address, now)
      return { isRight, waitMillis: 0 } satisfies Checked
    })
  }
}

export type ClientSecrets = ReturnType<typeof make>
