import * as Headers from "@tollgate/contract/Headers"
import { formatUsd, parseAmount } from "@tollgate/contract/Money"
import type { Names } from "@tollgate/contract/Names"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { inputInvalid, type InputInvalid } from "../errors/errors.ts"
import type { Invocation } from "./Invocation.ts"
import type { Terms } from "./memory.ts"

/** What a gateway accepts as an unquoted key. */
const keyShape = /^[\x21\x23-\x7e][\x20\x21\x23-\x7e]{0,254}$/

const invalid = ({ operation }: Invocation, message: string) => Effect.fail(inputInvalid(operation.id, message))

/** The caller's own terms, or else a new key and no cap. */
export const callersTerms = (invocation: Invocation): Effect.Effect<Terms, InputInvalid> => {
  const { client, settings } = invocation
  const { idempotencyKey, maxPrice = client.maxPrice } = settings
  if (idempotencyKey !== undefined && !keyShape.test(idempotencyKey)) {
    return invalid(invocation, "An idempotency key has 1 to 255 printable characters and no quotes")
  }
  const cap = maxPrice === undefined ? undefined : Option.getOrUndefined(parseAmount(maxPrice))
  if (maxPrice !== undefined && cap === undefined) {
    return invalid(invocation, 'A price is decimal USD, such as "0.05", or { micros }')
  }
  const termsWith = (key: string | undefined): Terms => ({ key, cap, hold: undefined, resumed: undefined })
  return idempotencyKey === undefined && client.policy.keys
    ? Effect.map(client.newKey, termsWith)
    : Effect.succeed(termsWith(idempotencyKey))
}

const keyHeader = Headers.idempotencyKey.toLowerCase()

/** Under lower-case names. */
export const termHeaders = (names: Names, { cap, key }: Terms): Record<string, string> => {
  const headers: Record<string, string> = {}
  if (key !== undefined) {
    headers[keyHeader] = key
    headers[Headers.idempotencyMode.key(names)] = "replay"
  }
  if (cap !== undefined) headers[Headers.maxPrice.key(names)] = formatUsd(cap)
  return headers
}
