import { invalid } from "@tollgate/contract/errors/Refused"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import * as Effect from "effect/Effect"
import { joined } from "../../cache/conversation.ts"
import type { Decoded } from "../../exchange/Exchange.ts"
import { json } from "../../exchange/Reply.ts"
import { turns } from "../../internal/Turns.ts"

const defaultPage = 20
/** Items that are made ready in one turn. */
const shownAtOnce = 64

export const answerOf = (...parts: ReadonlyArray<Uint8Array>) => ({
  ...json("", { "cache-control": "private, no-store" }),
  bytes: Bytes.concat(parts)
})

/** `shown`: an item as its caller gets it. */
export const itemPage = Effect.fnUntraced(function* <A extends { readonly id: string }>(
  items: ReadonlyArray<A>,
  shown: (item: A) => Uint8Array,
  query: Decoded["input"]["query"]
) {
  const { after, limit = defaultPage, order } = query
  const all = order === "asc" ? items : items.toReversed()
  const at = after === undefined ? -1 : all.findIndex(({ id }) => id === after)
  if (after !== undefined && at === -1) {
    return yield* invalid("after", "there is no such item")
  }
  const page = all.slice(at + 1, at + 1 + Number(limit))
  const rest = {
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: at + 1 + page.length < all.length
  }
  const bodies: Array<Uint8Array> = []
  for (const item of page) {
    if (bodies.length % shownAtOnce === shownAtOnce - 1) yield* turns.next
    bodies.push(shown(item))
  }
  return answerOf(
    Utf8.encode('{"object":"list","data":['),
    joined(bodies),
    Utf8.encode(`],${JSON.stringify(rest).slice(1)}`)
  )
})
