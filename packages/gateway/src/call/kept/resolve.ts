import type { Refused } from "@tollgate/contract/errors/Refused"
import { conversationOf, referenceOf, responses } from "@tollgate/contract/operations/responses"
import { responsesInputTokens } from "@tollgate/contract/operations/responsesInputTokens"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Conversation from "../../cache/conversation.ts"
import { idOf, type Item } from "../../cache/conversation.ts"
import { KeptConversations } from "../../cache/KeptConversations.ts"
import { KeptResponses } from "../../cache/KeptResponses.ts"
import type { Decoded, Keeping, KeptTurn } from "../../exchange/Exchange.ts"
import { JsonBounds } from "../../internal/jsonScan.ts"
import { isLarge, turns } from "../../internal/Turns.ts"
import { conversationTooLarge, nothingKept, notKept, orRefuse, readItems } from "./refusals.ts"

/** A shorter conversation is kept in whole with each response, if its caller sends it in whole. */
const shortBytes = 4_096

/** The operations whose requests may refer to kept responses. */
const refer: ReadonlySet<string> = new Set([responses.id, responsesInputTokens.id])

const bytesOf = ({ bytes }: Item): Uint8Array => bytes

/** A conversation that a request goes on from. */
interface Before {
  readonly turn: KeptTurn
  readonly items: ReadonlyArray<Item>
}

/** The digest of a conversation after one turn more: the same whether it was sent in whole or in parts. */
export const digestTurn = ({ digestHex }: Pick<Digest["Service"], "digestHex">, before: string, turn: Uint8Array) =>
  digestHex(sha256, Bytes.concat([Utf8.encode(`${before}\n`), turn]))

/** About this many bytes are parsed in one turn. */
const sliceBytes = 256 * 1024

function* parseAll(items: ReadonlyArray<Uint8Array>): Generator<void, ReadonlyArray<Item>> {
  const parsed: Array<Item> = []
  let bytes = 0
  for (const item of items) {
    if (bytes > sliceBytes) {
      bytes = 0
      yield
    }
    parsed.push(Conversation.parsed(item))
    bytes += item.length
  }
  return parsed
}

const findBefore = Effect.fnUntraced(function* (
  kept: KeptResponses["Service"],
  account: string,
  id: string,
  most: number
): Effect.fn.Return<Before, Refused> {
  const missing = notKept("previous_response_not_found", "Previous response", id, kept, "previous_response_id")
  const turn = yield* orRefuse(kept.find(account, id))
  if (turn === undefined) return yield* missing
  if (turn.size > most) return yield* conversationTooLarge(most)
  const found = yield* orRefuse(kept.read(account, turn))
  if (found === undefined) return yield* missing
  return { turn, items: yield* turns.inSlices(parseAll([...found.items, ...Conversation.itemsOfAll([found.last])])) }
})

/** The items with those that are kept here in place of references, and of reasoning that came without its encrypted content. */
const withKept = Effect.fnUntraced(function* (
  kept: KeptResponses["Service"],
  account: string,
  sent: ReadonlyArray<Item>,
  most: number
): Effect.fn.Return<ReadonlyArray<Item>, Refused> {
  const ids = sent.map(
    ({ value }) => referenceOf(value) ?? (Conversation.isBareReasoning(value) ? idOf(value) : undefined)
  )
  const wanted = new Set(ids.filter(Predicate.isString))
  if (wanted.size === 0) return sent
  const found = yield* orRefuse(kept.items(account, [...wanted]))
  const missing = sent.find(({ value }, i) => referenceOf(value) !== undefined && !found.has(String(ids[i])))
  if (missing !== undefined) {
    return yield* notKept("response_not_found", "Item", String(referenceOf(missing.value)), kept, "input")
  }
  const all = sent.map((item, i) => found.get(String(ids[i])) ?? item)
  // One that is referred to again and again would take memory before its size counts.
  return Conversation.sizeOf(all.map(bytesOf)) > most ? yield* conversationTooLarge(most) : all
})

const keepingOf = Effect.fnUntraced(function* (
  { findHistory, isLong, largest }: KeptResponses["Service"],
  digest: Digest["Service"],
  account: string,
  before: Before | undefined,
  own: ReadonlyArray<Item>
): Effect.fn.Return<Omit<Keeping, "previousId" | "conversation">> {
  let history = before?.turn.history ?? ""
  let from = 0
  for (const end of Conversation.turnEnds(own)) {
    history = yield* digestTurn(digest, history, Conversation.joined(own.slice(from, end).map(bytesOf)))
    from = end
  }
  const size = (before?.turn.size ?? 0) + Conversation.sizeOf(own.map(bytesOf))
  const isSentInWhole = before === undefined && from > 0 && size >= shortBytes
  const last = isSentInWhole
    ? yield* Effect.orElseSucceed(findHistory(account, history), () => undefined)
    : before?.turn
  const previous = last === undefined || isLong(last) ? undefined : last
  const all = previous === undefined ? [...(before?.items ?? []), ...own] : before === undefined ? own.slice(from) : own
  const isSmall = Conversation.sizeOf(all.map(bytesOf)) <= largest
  return {
    account,
    previous,
    own: isSmall ? Conversation.joined(all.map(bytesOf)) : undefined,
    size,
    history,
    restBytes: Conversation.sizeOf(own.slice(from).map(bytesOf)),
    // What was before a row that begins again may go.
    items: last !== undefined && previous === undefined ? all.flatMap(({ value }) => idOf(value) ?? []) : [],
    hidesReasoning: false
  }
})

/**
 * Puts the items of kept responses in place of what refers to them, before the call has a price: so their size counts, and the
 * upstream keeps nothing.
 */
export const resolve = Effect.gen(function* () {
  const kept = Option.getOrUndefined(yield* Effect.serviceOption(KeptResponses))
  const conversations = Option.getOrUndefined(yield* Effect.serviceOption(KeptConversations))
  const digest = yield* Digest

  /** The items of the conversation that the request names. */
  const said = Effect.fnUntraced(function* (account: string, id: string | undefined) {
    if (id === undefined) return []
    const found = conversations && (yield* orRefuse(conversations.find(account, id)))
    if (conversations === undefined || found === undefined)
      return yield* notKept("response_not_found", "Conversation", id, kept, "conversation")
    const items = yield* readItems(conversations, account, id)
    return yield* turns.inSlices(parseAll(items.map(({ bytes }) => bytes)))
  })

  const resolved = Effect.fnUntraced(function* (exchange: Decoded): Effect.fn.Return<Decoded, Refused> {
    const { bytes, operation, principal } = exchange
    if (!Predicate.isObject(exchange.input.body)) return exchange
    if (isLarge(bytes)) yield* turns.next
    const {
      conversation,
      previous_response_id: named,
      ...body
    } = exchange.input.body as Readonly<Record<string, unknown>>
    const previousId = Predicate.isString(named) ? named : undefined
    const inConversation = conversationOf(conversation)
    const conversationId = Predicate.isString(inConversation) ? inConversation : undefined
    const sent = Conversation.itemsOf(bytes, body["input"])
    if (kept === undefined || kept.bounds.days === 0 || principal === undefined) {
      if (body["store"] === true) return yield* nothingKept("store")
      if (previousId !== undefined) return yield* nothingKept("previous_response_id")
      if (conversationId !== undefined) return yield* nothingKept("conversation")
      return sent.some(({ value }) => referenceOf(value) !== undefined) ? yield* nothingKept("input") : exchange
    }
    const { account } = principal
    const most = operation.bodyLimit
    const before = previousId === undefined ? undefined : yield* findBefore(kept, account, previousId, most)
    const added = yield* withKept(kept, account, sent, most)
    const earlier = yield* said(account, conversationId)
    const own = earlier.length === 0 ? added : [...earlier, ...added]
    if (conversationId !== undefined && conversations?.isTooLarge(own.map(bytesOf)) === true) {
      return yield* conversationTooLarge(kept.largest)
    }
    const grows = conversationId === undefined ? undefined : { id: conversationId, items: added.map(bytesOf) }
    const keeps =
      body["store"] === false || operation.id !== responses.id
        ? exchange
        : {
            ...exchange,
            keeping: { ...(yield* keepingOf(kept, digest, account, before, own)), previousId, conversation: grows }
          }
    if (before === undefined && own === sent && conversationId === undefined) return keeps
    // No upstream reads reasoning that it does not keep, unless it is there in encrypted form.
    const isReadable = (item: Item): boolean => !Conversation.isBareReasoning(item.value)
    const addedReadable = added.filter((item, i) => item === sent[i] || isReadable(item))
    const items = [...(before?.items ?? []), ...earlier].filter(isReadable).concat(addedReadable)
    yield* turns.next
    const whole = Conversation.withItems(bytes, Conversation.joined(items.map(bytesOf)))
    if (whole.length > most) return yield* conversationTooLarge(most)
    if (isLarge(whole)) yield* turns.next
    if (new JsonBounds().push(whole) !== undefined) return yield* conversationTooLarge(most)
    if (isLarge(whole)) yield* turns.next
    const input = { ...exchange.input, body: { ...body, input: items.map(({ value }) => value) } }
    return { ...keeps, asSent: bytes, bytes: whole, input }
  })
  return (exchange: Decoded): Effect.Effect<Decoded, Refused> =>
    refer.has(exchange.operation.id) ? resolved(exchange) : Effect.succeed(exchange)
})
