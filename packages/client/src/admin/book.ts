import type { Account } from "@tollgate/contract/admin/Account"
import type { Booking } from "@tollgate/contract/admin/Terms"
import * as Effect from "effect/Effect"
import { change, type Request } from "../account/request.ts"
import { newKeys } from "../newKeys.ts"

const newId = /* @__PURE__ */ newKeys()

/** A function that books an amount under an id. All runs of one effect share the id, so a repeated one is booked once. */
export const book = (id: string, path: string): ((account: string, entry: Booking) => Request<Account>) => {
  const send = change<Account, Booking>(id, path, "POST", "free")
  return (account, entry) => {
    let made: string | undefined
    return Effect.flatMap(newId, (fresh) => {
      made ??= fresh
      return send({ path: { id: account }, body: { ...entry, id: entry.id ?? made } })
    })
  }
}
