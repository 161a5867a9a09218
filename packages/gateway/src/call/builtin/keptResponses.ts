import type { Refused } from "@tollgate/contract/errors/Refused"
import { responseDelete } from "@tollgate/contract/operations/responseDelete"
import { responseGet } from "@tollgate/contract/operations/responseGet"
import { responseInputItems } from "@tollgate/contract/operations/responseInputItems"
import * as Effect from "effect/Effect"
import { idOf, itemsOfAll, parsed, shown } from "../../cache/conversation.ts"
import type { KeptResponses } from "../../cache/KeptResponses.ts"
import type { Decoded } from "../../exchange/Exchange.ts"
import { type Builtin, json } from "../../exchange/Reply.ts"
import { set } from "../../internal/jsonEdit.ts"
import { notKept, orRefuse } from "../kept/refusals.ts"
import { answerOf, itemPage } from "./itemPage.ts"

export const keptResponses = (kept: KeptResponses["Service"] | undefined): Readonly<Record<string, Builtin>> => {
  const idIn = ({ input: { path } }: Decoded): string => String(path.id)
  const missing = (exchange: Decoded): Refused => notKept("response_not_found", "Response", idIn(exchange), kept)

  const turnsOf = Effect.fnUntraced(function* (exchange: Decoded) {
    const account = exchange.principal?.account
    if (kept === undefined || account === undefined) return yield* missing(exchange)
    const turn = yield* orRefuse(kept.find(account, idIn(exchange)))
    const all = turn && (yield* orRefuse(kept.read(account, turn)))
    const last = all?.at(-1)
    return all === undefined || last === undefined ? yield* missing(exchange) : { before: all.slice(0, -1), last }
  })

  const get: Builtin = (exchange) =>
    Effect.map(turnsOf(exchange), ({ last: { response, view } }) => answerOf(shown(response, view) ?? response))

  const remove: Builtin = Effect.fnUntraced(function* (exchange) {
    const id = idIn(exchange)
    const account = exchange.principal?.account
    const isRemoved = account !== undefined && kept !== undefined && (yield* orRefuse(kept.remove(account, id)))
    return isRemoved ? json(JSON.stringify({ id, object: "response", deleted: true })) : yield* missing(exchange)
  })

  const inputItems: Builtin = Effect.fnUntraced(function* (exchange) {
    const { before, last } = yield* turnsOf(exchange)
    const all = [...itemsOfAll(before), ...last.input].map((item, at) => {
      const own = idOf(parsed(item).value)
      const id = own ?? `item_${at}`
      const bytes = own === undefined ? set(item, ["id"], JSON.stringify(id)) : item
      return { id, bytes: shown(bytes, last.view) ?? bytes }
    })
    return yield* itemPage(all, exchange.input.query)
  })

  return { [responseGet.id]: get, [responseDelete.id]: remove, [responseInputItems.id]: inputItems }
}
