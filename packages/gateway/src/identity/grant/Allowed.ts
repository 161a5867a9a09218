import type { Bound } from "@tollgate/contract/Operation"
import { accountBalance } from "@tollgate/contract/operations/accountBalance"
import { accountPrices } from "@tollgate/contract/operations/accountPrices"
import { taskGet } from "@tollgate/contract/operations/taskGet"
import { usage } from "@tollgate/contract/operations/usage"
import { allowanceOf, type Principal, type TokenGrant } from "@tollgate/ledger/credential/Keys"
import { type Allowed, type Allows, allowsOf } from "@tollgate/ledger/credential/Restrictions"
import { amount, amountOrNull, type Row, text, textOrNull } from "@tollgate/ledger/store/rows"

export type { Allowed }

export const writeAllowed = (allowed: Allowed | null): string | null =>
  allowed === null ? null : JSON.stringify(allowed)

export const readAllowed = (json: string | null): Allowed | null =>
  json === null ? null : (JSON.parse(json) as Allowed)

/** What the path checks of a row of `grants`. */
const checkedTerms = (row: Row): Pick<TokenGrant, "allows" | "askAbove"> => {
  const allowed = readAllowed(textOrNull(row, "allows"))
  return {
    allows: allowed === null ? undefined : allowsOf(allowed),
    askAbove: amountOrNull(row, "ask_above") ?? undefined
  }
}

/** What `principalOf` reads of a grant `g`, its key `k` and its account `a`. */
export const principalColumns =
  "g.allows, g.ask_above, k.account, a.topped_up, a.tier, a.rpm, a.tpm, a.concurrency, a.multiplier"

export const principalOf = (row: Row, token: Omit<TokenGrant, "allows" | "askAbove">): Principal => ({
  account: text(row, "account"),
  key: token.id,
  rootKey: token.id,
  allowance: allowanceOf(row),
  multiplier: amount(row, "multiplier"),
  grant: { ...token, ...checkedTerms(row) }
})

/** Not a choice: usage has a scope of its own, whoever may start a task may look after it, and everybody may know what things cost. */
const always = new Set<string>([usage.id, accountBalance.id, accountPrices.id, taskGet.id])

export const isAllowed = (
  allows: Allows | undefined,
  { category, id, ofTask }: Pick<Bound, "category" | "id" | "ofTask">
): boolean =>
  allows === undefined ||
  allows.categories.has(category) ||
  allows.operations.has(id) ||
  always.has(id) ||
  (ofTask !== undefined && allows.operations.has(ofTask.create))
