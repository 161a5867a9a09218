import { refuse } from "@tollgate/contract/errors/Refused"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import * as Effect from "effect/Effect"
import { joined } from "../../cache/conversation.ts"
import type { Decoded } from "../../exchange/Exchange.ts"
import { json } from "../../exchange/Reply.ts"

/** An item as its caller gets it. */
export interface ShownItem {
  readonly id: string
  readonly bytes: Uint8Array
}

const defaultPage = 20

export const answerOf = (...parts: ReadonlyArray<Uint8Array>) => ({
  ...json("", { "cache-control": "private, no-store" }),
  bytes: Bytes.concat(parts)
})

export const itemPage = Effect.fnUntraced(function* (
  items: ReadonlyArray<ShownItem>,
  query: Decoded["input"]["query"]
) {
  const { after, limit = defaultPage, order } = query
  const all = order === "asc" ? items : items.toReversed()
  const at = after === undefined ? -1 : all.findIndex(({ id }) => id === after)
  if (after !== undefined && at === -1) {
    return yield* refuse("invalid_request", "after: there is no such item", { param: "after" })
  }
  const page = all.slice(at + 1, at + 1 + Number(limit))
  const rest = {
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: at + 1 + page.length < all.length
  }
  return answerOf(
    Utf8.encode('{"object":"list","data":['),
    joined(page.map(({ bytes }) => bytes)),
    Utf8.encode(`],${JSON.stringify(rest).slice(1)}`)
  )
})
