import type { Refused } from "@tollgate/contract/errors/Refused"
import { responseDelete } from "@tollgate/contract/operations/responseDelete"
import { responseGet } from "@tollgate/contract/operations/responseGet"
import { responseInputItems } from "@tollgate/contract/operations/responseInputItems"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { idOf, parsed, shown } from "../../cache/conversation.ts"
import type { KeptResponses } from "../../cache/KeptResponses.ts"
import type { Decoded, KeptTurn } from "../../exchange/Exchange.ts"
import { type Builtin, json } from "../../exchange/Reply.ts"
import { set } from "../../internal/jsonEdit.ts"
import { notKept, orRefuse } from "../kept/refusals.ts"
import { answerOf, itemPage } from "./itemPage.ts"

export const keptResponses = (kept: KeptResponses["Service"] | undefined): Readonly<Record<string, Builtin>> => {
  const idIn = ({ input: { path } }: Decoded): string => String(path.id)
  const missing = (exchange: Decoded): Refused => notKept("response_not_found", "Response", idIn(exchange), kept)

  const read = Effect.fnUntraced(function* <A>(
    exchange: Decoded,
    how: (kept: KeptResponses["Service"]) => (account: string, turn: KeptTurn) => Effect.Effect<A | undefined, SqlError>
  ) {
    const account = exchange.principal?.account
    if (kept === undefined || account === undefined) return yield* missing(exchange)
    const turn = yield* orRefuse(kept.find(account, idIn(exchange)))
    const found = turn && (yield* orRefuse(how(kept)(account, turn)))
    return found === undefined ? yield* missing(exchange) : found
  })

  const get: Builtin = (exchange) =>
    Effect.map(
      read(exchange, ({ readLast }) => readLast),
      ({ response, view }) => answerOf(shown(response, view) ?? response)
    )

  const remove: Builtin = Effect.fnUntraced(function* (exchange) {
    const id = idIn(exchange)
    const account = exchange.principal?.account
    const isRemoved = account !== undefined && kept !== undefined && (yield* orRefuse(kept.remove(account, id)))
    return isRemoved ? json(JSON.stringify({ id, object: "response", deleted: true })) : yield* missing(exchange)
  })

  const inputItems: Builtin = Effect.fnUntraced(function* (exchange) {
    const { items, last } = yield* read(exchange, ({ read }) => read)
    const all = [...items, ...last.input].map((bytes, at) => ({ id: idOf(parsed(bytes).value) ?? `item_${at}`, bytes }))
    const shownItem = ({ bytes: item, id }: (typeof all)[number]) => {
      const bytes = set(item, ["id"], JSON.stringify(id))
      return shown(bytes, last.view) ?? bytes
    }
    return yield* itemPage(all, shownItem, exchange.input.query)
  })

  return { [responseGet.id]: get, [responseDelete.id]: remove, [responseInputItems.id]: inputItems }
}
