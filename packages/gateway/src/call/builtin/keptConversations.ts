import { invalid, refuse, type Refused } from "@tollgate/contract/errors/Refused"
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
import { itemsOf, parsed, shown } from "../../cache/conversation.ts"
import type { About, ConversationItem, KeptConversations } from "../../cache/KeptConversations.ts"
import type { KeptResponses } from "../../cache/KeptResponses.ts"
import type { Decoded } from "../../exchange/Exchange.ts"
import { type Builtin, json } from "../../exchange/Reply.ts"
import { set } from "../../internal/jsonEdit.ts"
import { conversationTooLarge, nothingKept, notKept, orRefuse, readItems } from "../kept/refusals.ts"
import { answerOf, itemPage } from "./itemPage.ts"

/** A message that was sent in short form gets its long one. Nobody needs encrypted reasoning who goes on by name. */
const shownItem = ({ bytes: item, id }: ConversationItem): Uint8Array => {
  const { value } = parsed(item)
  let bytes = set(item, ["id"], JSON.stringify(id))
  if (Predicate.isObject(value) && Predicate.isString(value["role"])) {
    const { content: text, role, type = "message" } = value
    const part = role === "assistant" ? { type: "output_text", text, annotations: [] } : { type: "input_text", text }
    bytes = set(bytes, ["type"], JSON.stringify(type))
    if (Predicate.isString(text)) bytes = set(bytes, ["content"], JSON.stringify([part]))
  }
  return shown(bytes, { hidesReasoning: true, previousId: undefined }) ?? bytes
}

const shownAbout = (id: string, about: About) => json(JSON.stringify({ id, object: "conversation", ...about }))

/** As OpenAI has it. */
const mostMetadata = { pairs: 16, name: 64, value: 512 }

const metadataIn = ({ input: { body } }: Decoded): Effect.Effect<About["metadata"], Refused> => {
  const metadata = Object.entries(read(body, ["metadata"]) ?? {})
  const isOne = ([name, value]: readonly [string, unknown]): boolean =>
    name.length <= mostMetadata.name && Predicate.isString(value) && value.length <= mostMetadata.value
  return metadata.length <= mostMetadata.pairs && metadata.every(isOne)
    ? Effect.succeed(Object.fromEntries(metadata) as About["metadata"])
    : Effect.fail(invalid("metadata", "at most 16 texts of 512 characters, with names of 64"))
}

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
    if (kept === undefined || responses === undefined || responses.bounds.days === 0 || principal === undefined) {
      return yield* nothingKept("conversation")
    }
    return { kept, responses, account: principal.account }
  })

  const find = Effect.fnUntraced(function* (exchange: Decoded) {
    const { account, kept } = yield* accountOf(exchange)
    const id = idIn(exchange)
    const about = (yield* orRefuse(kept.find(account, id))) ?? (yield* missing(exchange))
    return { kept, account, id, about }
  })

  /** The items of a request, which must be there themselves. */
  const itemsIn = Effect.fnUntraced(function* ({ bytes, input: { body } }: Decoded) {
    const items = itemsOf(bytes, read(body, ["items"]), "items")
    const at = items.findIndex(({ value }) => referenceOf(value) !== undefined)
    if (at === -1) return items.map((item) => item.bytes)
    return yield* refuse("invalid_request", `items.${at}: send the item itself`, { param: "items" })
  })

  const add = Effect.fnUntraced(function* (exchange: Decoded, id: string) {
    const { account, kept, responses } = yield* accountOf(exchange)
    const items = yield* kept.named(yield* itemsIn(exchange))
    const before = yield* readItems(kept, account, id)
    const all = [...before, ...items].map(({ bytes }) => bytes)
    if (kept.isTooLarge(all)) return yield* conversationTooLarge(kept.largest)
    yield* orRefuse(responses.write(yield* kept.adding(account, id, items)))
    return items
  })

  const create: Builtin = Effect.fnUntraced(function* (exchange) {
    const { account, kept } = yield* accountOf(exchange)
    const metadata = yield* metadataIn(exchange)
    if (kept.isTooLarge(yield* itemsIn(exchange))) return yield* conversationTooLarge(kept.largest)
    const id = yield* orRefuse(kept.create(account, metadata))
    yield* add(exchange, id)
    return yield* get({ ...exchange, input: { ...exchange.input, path: { id } } })
  })

  const get: Builtin = (exchange) => Effect.map(find(exchange), ({ about, id }) => shownAbout(id, about))

  const update: Builtin = Effect.fnUntraced(function* (exchange) {
    const { about: before, account, id, kept } = yield* find(exchange)
    const about = { ...before, metadata: yield* metadataIn(exchange) }
    yield* orRefuse(kept.describe(account, id, about))
    return shownAbout(id, about)
  })

  const remove: Builtin = Effect.fnUntraced(function* (exchange) {
    const { account, id, kept } = yield* find(exchange)
    yield* orRefuse(kept.remove(account, id))
    return json(JSON.stringify({ id, object: "conversation.deleted", deleted: true }))
  })

  const items: Builtin = Effect.fnUntraced(function* (exchange) {
    const { account, id, kept } = yield* find(exchange)
    return yield* itemPage(yield* readItems(kept, account, id), shownItem, exchange.input.query)
  })

  const addItems: Builtin = Effect.fnUntraced(function* (exchange) {
    const { id } = yield* find(exchange)
    const added = yield* add(exchange, id)
    return yield* itemPage(added, shownItem, { limit: added.length, order: "asc" })
  })

  const getItem: Builtin = Effect.fnUntraced(function* (exchange) {
    const { account, id, kept } = yield* find(exchange)
    const all = yield* readItems(kept, account, id)
    const found = all.find((item) => item.id === exchange.input.path.item)
    return found === undefined ? yield* missingItem(exchange) : answerOf(shownItem(found))
  })

  const removeItem: Builtin = Effect.fnUntraced(function* (exchange) {
    const { about, account, id, kept } = yield* find(exchange)
    const isRemoved = yield* orRefuse(kept.removeItem(account, id, String(exchange.input.path.item)))
    return isRemoved ? shownAbout(id, about) : yield* missingItem(exchange)
  })

  return {
    [conversationCreate.id]: create,
    [conversationGet.id]: get,
    [conversationUpdate.id]: update,
    [conversationDelete.id]: remove,
    [conversationItems.id]: items,
    [conversationItemsAdd.id]: addItems,
    [conversationItemGet.id]: getItem,
    [conversationItemDelete.id]: removeItem
  }
}
