import type { ServiceAccounts } from "@tollgate/gateway"
import { isServiceAccountId } from "@tollgate/gateway/driver"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { createHash, timingSafeEqual } from "node:crypto"
import type { AddressLimits } from "./AddressLimits.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest()

/** Digests have one length, so the comparison does not reveal the secret's. */
const isSame = (sent: string, secret: string): boolean => timingSafeEqual(sha256(sent), sha256(secret))

interface Checked {
  readonly isRight: boolean
  /** More than 0: it was wrong, and too many wrong ones came from this address or for this client. */
  readonly waitMillis: number
}

/** Checks the secrets of clients. Wrong ones are slowed down by address and client; the right one always passes. */
export const make = (
  limits: Pick<AddressLimits, "takeWrongSecret">,
  machines: Pick<ServiceAccounts["Service"], "digestOf">
) => {
  const addresses = new WeakMap<object, string>()
  return {
    cameFrom: (request: object, address: string | undefined): void => {
      if (address !== undefined) addresses.set(request, address)
    },
    check: Effect.fnUntraced(function* (
      request: object | undefined,
      client: { readonly clientId: string; readonly clientSecret?: string | undefined },
      sent: string
    ) {
      const { clientId, clientSecret } = client
      const given = isServiceAccountId(clientId) ? yield* machines.digestOf(clientId, sent) : sent
      const isRight = clientSecret !== undefined && isSame(given, clientSecret)
      const address = request && addresses.get(request)
      const waitMillis = isRight ? 0 : limits.takeWrongSecret(clientId, address, yield* Clock.currentTimeMillis)
      return { isRight, waitMillis } satisfies Checked
    })
  }
}

export type ClientSecrets = ReturnType<typeof make>
