import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { conversationCreate } from "@tollgate/contract/operations/conversationCreate"
import { conversationDelete } from "@tollgate/contract/operations/conversationDelete"
import { conversationGet } from "@tollgate/contract/operations/conversationGet"
import { conversationItemDelete } from "@tollgate/contract/operations/conversationItemDelete"
import { conversationItemGet } from "@tollgate/contract/operations/conversationItemGet"
import { conversationItems } from "@tollgate/contract/operations/conversationItems"
import { conversationItemsAdd } from "@tollgate/contract/operations/conversationItemsAdd"
import { conversationUpdate } from "@tollgate/contract/operations/conversationUpdate"
import { read } from "@tollgate/contract/price/exact"
import { referenceOf } from "@tollgate/contract/operations/responses"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { itemsOf, parsed, shown, sizeOf } from "../../cache/conversation.ts"
import type { About, Conversation, KeptConversations } from "../../cache/KeptConversations.ts"
import type { KeptResponses } from "../../cache/KeptResponses.ts"
import type { Decoded } from "../../exchange/Exchange.ts"
import { type Builtin, json } from "../../exchange/Reply.ts"
import { set } from "../../internal/jsonEdit.ts"
import { conversationTooLarge, nothingKept, notKept, orRefuse } from "../kept/refusals.ts"
import { answerOf, itemPage, type ShownItem } from "./itemPage.ts"

/** A message that was sent in short form gets its long one. Nobody needs encrypted reasoning who goes on by name. */
const shownItem = (id: string, item: Uint8Array): ShownItem => {
  const { value } = parsed(item)
  let bytes = set(item, ["id"], JSON.stringify(id))
  if (Predicate.isObject(value) && Predicate.isString(value["role"])) {
    const { content: text, role, type = "message" } = value
    const part = role === "assistant" ? { type: "output_text", text, annotations: [] } : { type: "input_text", text }
    bytes = set(bytes, ["type"], JSON.stringify(type))
    if (Predicate.isString(text)) bytes = set(bytes, ["content"], JSON.stringify([part]))
  }
  return { id, bytes: shown(bytes, { hidesReasoning: true, previousId: undefined }) ?? bytes }
}

const shownItems = ({ ids, items }: Conversation): ReadonlyArray<ShownItem> =>
  items.map((item, i) => shownItem(ids[i] ?? "", item))

const shownAbout = (id: string, about: About) => json(JSON.stringify({ id, object: "conversation", ...about }))

const metadataIn = ({ input: { body } }: Decoded): Effect.Effect<About["metadata"], Refused> => {
  const metadata = Object.entries(read(body, ["metadata"]) ?? {})
  const bad = metadata.find(([, value]) => !Predicate.isString(value))
  return bad === undefined
    ? Effect.succeed(Object.fromEntries(metadata) as About["metadata"])
    : Effect.fail(refuse("invalid_request", "metadata: each value must be text", { param: "metadata" }))
}

/** What callers do with the conversations that are kept for their account. */
export const keptConversations = (
  kept: KeptConversations["Service"] | undefined,
  responses: KeptResponses["Service"] | undefined
): Readonly<Record<string, Builtin>> => {
  const idIn = ({ input: { path } }: Decoded): string => String(path.id)
  const missing = (exchange: Decoded): Refused =>
    notKept("response_not_found", "Conversation", idIn(exchange), responses)
  const missingItem = ({ input }: Decoded): Refused =>
    notKept("response_not_found", "Item", String(input.path.item), responses)

  const accountOf = Effect.fnUntraced(function* ({ principal }: Decoded) {
    if (kept === undefined || responses?.bounds.days === 0 || principal === undefined) {
      return yield* nothingKept("conversation")
    }
    return { kept, account: principal.account }
  })

  const find = Effect.fnUntraced(function* (exchange: Decoded) {
    const { account, kept } = yield* accountOf(exchange)
    return (yield* orRefuse(kept.find(account, idIn(exchange)))) ?? (yield* missing(exchange))
  })

  const change = Effect.fnUntraced(function* (exchange: Decoded, how: (before: Conversation) => Conversation) {
    const { account, kept } = yield* accountOf(exchange)
    return (yield* orRefuse(kept.change(account, idIn(exchange), how))) ?? (yield* missing(exchange))
  })

  /** The items of a request, which must be there themselves. */
  const itemsIn = Effect.fnUntraced(function* ({ bytes, input: { body } }: Decoded) {
    const items = itemsOf(bytes, read(body, ["items"]), "items")
    const at = items.findIndex(({ value }) => referenceOf(value) !== undefined)
    if (at === -1) return items.map((item) => item.bytes)
    return yield* refuse("invalid_request", `items.${at}: send the item itself`, { param: "items" })
  })

  const add = Effect.fnUntraced(function* (exchange: Decoded, id: string, items: ReadonlyArray<Uint8Array>) {
    const { account, kept } = yield* accountOf(exchange)
    const adding = yield* kept.adding(items)
    let isTooLarge = false
    const after = yield* orRefuse(
      kept.change(account, id, (before) => {
        const grown = adding(before)
        isTooLarge = sizeOf(grown.items) > kept.largest
        return isTooLarge ? before : grown
      })
    )
    if (isTooLarge) return yield* conversationTooLarge(kept.largest)
    return after ?? (yield* missing(exchange))
  })

  const create: Builtin = Effect.fnUntraced(function* (exchange) {
    const { account, kept } = yield* accountOf(exchange)
    const items = yield* itemsIn(exchange)
    if (sizeOf(items) > kept.largest) return yield* conversationTooLarge(kept.largest)
    const id = yield* orRefuse(kept.create(account, yield* metadataIn(exchange)))
    const { about } = yield* add(exchange, id, items)
    return shownAbout(id, about)
  })

  const addItems: Builtin = Effect.fnUntraced(function* (exchange) {
    const items = yield* itemsIn(exchange)
    const after = yield* add(exchange, idIn(exchange), items)
    return yield* itemPage(shownItems(after).slice(-items.length || after.items.length), {
      limit: items.length,
      order: "asc"
    })
  })

  const update: Builtin = Effect.fnUntraced(function* (exchange) {
    const metadata = yield* metadataIn(exchange)
    const { about } = yield* change(exchange, (before) => ({ ...before, about: { ...before.about, metadata } }))
    return shownAbout(idIn(exchange), about)
  })

  const remove: Builtin = Effect.fnUntraced(function* (exchange) {
    const { account, kept } = yield* accountOf(exchange)
    const id = idIn(exchange)
    const isRemoved = yield* orRefuse(kept.remove(account, id))
    return isRemoved
      ? json(JSON.stringify({ id, object: "conversation.deleted", deleted: true }))
      : yield* missing(exchange)
  })

  const items: Builtin = Effect.fnUntraced(function* (exchange) {
    return yield* itemPage(shownItems(yield* find(exchange)), exchange.input.query)
  })

  const getItem: Builtin = Effect.fnUntraced(function* (exchange) {
    const { ids, items } = yield* find(exchange)
    const at = ids.indexOf(String(exchange.input.path.item))
    const found = items[at]
    return found === undefined ? yield* missingItem(exchange) : answerOf(shownItem(ids[at] ?? "", found).bytes)
  })

  const removeItem: Builtin = Effect.fnUntraced(function* (exchange) {
    let isThere = false
    const { about } = yield* change(exchange, (before) => {
      const at = before.ids.indexOf(String(exchange.input.path.item))
      isThere = at !== -1
      const stays = (_: unknown, i: number) => i !== at
      return { ...before, ids: before.ids.filter(stays), items: before.items.filter(stays) }
    })
    return isThere ? shownAbout(idIn(exchange), about) : yield* missingItem(exchange)
  })

  return {
    [conversationCreate.id]: create,
    [conversationGet.id]: (exchange) => Effect.map(find(exchange), ({ about }) => shownAbout(idIn(exchange), about)),
    [conversationUpdate.id]: update,
    [conversationDelete.id]: remove,
    [conversationItems.id]: items,
    [conversationItemsAdd.id]: addItems,
    [conversationItemGet.id]: getItem,
    [conversationItemDelete.id]: removeItem
  }
}
