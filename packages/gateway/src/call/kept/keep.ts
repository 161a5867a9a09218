import { read } from "@tollgate/contract/price/exact"
import { isByModel } from "@tollgate/contract/price/Price"
import { describeSqlError } from "@tollgate/ledger/store/rows"
import type { Statement } from "@tollgate/ledger/store/statements"
import * as Bytes from "effect/Bytes"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Conversation from "../../cache/conversation.ts"
import { KeptConversations } from "../../cache/KeptConversations.ts"
import { KeptResponses } from "../../cache/KeptResponses.ts"
import type { Keeping, Priced } from "../../exchange/Exchange.ts"
import type { Answer } from "../../exchange/Reply.ts"
import { set } from "../../internal/jsonEdit.ts"
import { isLarge, turns } from "../../internal/Turns.ts"
import type { Streamed, Whole } from "../../upstream/Called.ts"
import type { Protocol, StreamMeter } from "../../upstream/Protocol.ts"
import { filterEvents } from "../../upstream/protocols/filterEvents.ts"
import { isSuccess } from "../../upstream/protocols/message.ts"
import { CurrentAbandonedStreams } from "../AbandonedStreams.ts"
import { digestTurn } from "./resolve.ts"

const encrypted = "reasoning.encrypted_content"

const asksToReason = (body: unknown): boolean => {
  const effort = read(body, ["reasoning", "effort"]) ?? undefined
  const summary = read(body, ["reasoning", "summary"]) ?? undefined
  return effort !== "none" && (effort !== undefined || summary !== undefined)
}

/** In an answer that was translated, what is encrypted is also of calls, and always there. */
const seenBy = (keeping: Keeping, { turned }: Protocol): Keeping =>
  turned === undefined ? keeping : { ...keeping, hidesReasoning: false }

type Writes = ReadonlyArray<Statement>

/** What the caller gets, and what keeps the response, to be committed with the settlement. `undefined`: it is not kept. */
type AndKeep<A> = readonly [A, Effect.Effect<Writes | undefined> | undefined]

export const make = Effect.gen(function* () {
  const kept = Option.getOrUndefined(yield* Effect.serviceOption(KeptResponses))
  const conversations = Option.getOrUndefined(yield* Effect.serviceOption(KeptConversations))
  const digest = yield* Digest
  const left = yield* CurrentAbandonedStreams

  /** `undefined`: it failed, or is too large. */
  const keep = (keeping: Keeping, call: string, response: Uint8Array): Effect.Effect<Writes> | undefined => {
    const { account, conversation, history, items, own, previous, restBytes, size } = keeping
    const isKept = kept !== undefined && own !== undefined && own.length + response.length <= kept.largest
    const ended = isKept || conversation !== undefined ? Conversation.ended(response) : undefined
    return (
      ended &&
      Effect.gen(function* () {
        const { id, output } = ended
        if (isLarge(response)) yield* turns.next
        const grown =
          conversation === undefined || conversations === undefined
            ? []
            : yield* conversations.adding(
                account,
                conversation.id,
                yield* conversations.named([...conversation.items, ...output])
              )
        if (!isKept) return grown
        const body = Conversation.written(own, response, keeping)
        const rest = restBytes === 0 ? [] : [own.subarray(own.length - restBytes + 1)]
        const ids = output.flatMap((item) => Conversation.idOf(Conversation.parsed(item).value) ?? [])
        const digested = yield* digestTurn(digest, history, Conversation.joined([...rest, ...output]))
        const after = { size: size + Conversation.sizeOf(output), history: digested, items: [...items, ...ids] }
        return [...(yield* kept.writes({ call, account, id, previous, body, ...after })), ...grown]
      })
    )
  }

  return {
    /** Where the model reasons, the next turn needs the reasoning, which the upstream does not keep. */
    withReasoning: (exchange: Priced): Priced => {
      const { bytes, input, keeping, price } = exchange
      const include = read(input.body, ["include"])
      const included: ReadonlyArray<unknown> = Array.isArray(include) ? include : []
      if (keeping === undefined || included.includes(encrypted)) return exchange
      if (!asksToReason(input.body) && !(isByModel(price) && left.thinks(exchange))) return exchange
      return {
        ...exchange,
        asSent: exchange.asSent ?? bytes,
        bytes: set(bytes, ["include"], JSON.stringify([...included, encrypted])),
        keeping: { ...keeping, hidesReasoning: true }
      }
    },

    answer: ({ keeping, requestId }: Priced, { answer, protocol }: Whole): AndKeep<Answer> => {
      const { bytes, headers, status } = answer
      if (keeping === undefined || !isSuccess(status) || headers["content-encoding"] !== undefined) {
        return [answer, undefined]
      }
      const own = seenBy(keeping, protocol)
      const writes = keep(own, requestId, bytes)
      const shown = Conversation.shown(bytes, { ...own, isKept: writes !== undefined })
      return [shown === undefined ? answer : { ...answer, bytes: shown }, writes]
    },

    /** The meter of a stream, with events as the caller gets them. */
    stream: (
      { keeping, requestId }: Priced,
      meter: StreamMeter,
      { protocol, streaming }: Streamed
    ): AndKeep<StreamMeter> => {
      if (keeping === undefined) return [meter, undefined]
      const own = seenBy(keeping, protocol)
      let writes: Effect.Effect<Writes> | undefined
      const reader = filterEvents(({ bytes, from, to }) => {
        let shown = Conversation.shownEvent(bytes, own, from, to)
        if (shown.response !== undefined) {
          writes = keep(own, requestId, shown.response)
          if (writes === undefined) shown = Conversation.shownEvent(bytes, { ...own, isKept: false }, from, to)
        }
        return shown.event ?? "keep"
      }, streaming.eventBytes)
      const shownMeter: StreamMeter = {
        ...meter,
        push: (chunk) => reader.push(meter.push(chunk)),
        finish: () => Bytes.concat([reader.push(meter.finish()), reader.finish()])
      }
      return [shownMeter, Effect.suspend(() => writes ?? Effect.undefined)]
    },

    /** For a call that is not settled. Never fails: the answer was made. */
    write: (writes: Writes | undefined): Effect.Effect<void> =>
      writes === undefined || kept === undefined
        ? Effect.void
        : Effect.catch(kept.write(writes), (error) =>
            Effect.logWarning("keeping a response failed", describeSqlError(error))
          )
  }
})

export type Keep = Effect.Success<typeof make>
