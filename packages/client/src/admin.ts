import type { Account, Keys } from "@tollgate/contract/admin/Account"
import type { Adjustment, Reversal, TopUp } from "@tollgate/contract/admin/Terms"
import * as Effect from "effect/Effect"
import * as generated from "./generated/adminApi.ts"
import { newKeys } from "./options/settings.ts"
import type { Request } from "./managementApi/route.ts"

// What is exported here by name stands for the generated function of the same name.
export * from "./generated/adminApi.ts"
export type { AccountError as AdminError } from "./managementApi/route.ts"

/** The keys of one account, or all. */
export const keys = (account?: string): Request<Keys> =>
  account === undefined ? generated.keys() : generated.accountKeys(account)

const newId = /* @__PURE__ */ newKeys()

type Book<Entry> = (account: string, entry: Entry) => Request<Account>

/** All runs of one effect share the id of the entry, so a repeated one is booked once. */
const once =
  <Entry extends { readonly id?: string }>(book: Book<Entry>): Book<Entry> =>
  (account, entry) => {
    let made: string | undefined
    return Effect.flatMap(newId, (fresh) => {
      made ??= fresh
      return book(account, { ...entry, id: entry.id ?? made })
    })
  }

/** Books a payment, which counts towards the tier. It is booked once, also if the effect is run again. */
export const topUp: Book<TopUp> = /* @__PURE__ */ once(generated.topUp)

/** Adds to the balance, or takes from it, without a payment. It is booked once, also if the effect is run again. */
export const adjust: Book<Adjustment> = /* @__PURE__ */ once(generated.adjust)

/** Reverses a payment. It is booked once, also if the effect is run again. */
export const reversePayment: Book<Reversal> = /* @__PURE__ */ once(generated.reversePayment)
