import * as Effect from "effect/Effect"
import type { Caller } from "./Caller.ts"
import type { Used } from "./shapes.ts"
import { Media } from "./media/Media.ts"

const notReturned =
  "A part of the answer is too large to return. The call ran, and its cost is that of the whole answer. Call the operation over HTTP."

const isTooLarge = (one: unknown): one is Media => one instanceof Media && !one.isBlock

/** Keeps what is too large for a block, so that it can be opened for a while. */
export const keepLarge = Effect.fnUntraced(function* ({ authenticated, gateway }: Caller, used: Used) {
  const large = used.attached?.filter(isTooLarge) ?? []
  const account = authenticated.principal?.account
  for (const media of large) {
    const file = { bytes: media.bytes, contentType: media.type.mimeType }
    const kept =
      account === undefined
        ? undefined
        : yield* gateway.files?.keep(account, used.request_id ?? "", file) ?? Effect.undefined
    if (kept !== undefined) media.link = { uri: kept.uri, until: new Date(kept.endsAt).toISOString() }
  }
  return large.every(({ link }) => link !== undefined) ? used : { ...used, truncated: true, note: notReturned }
})

export const needsKeeping = ({ attached }: Used): boolean => attached?.some(isTooLarge) === true
