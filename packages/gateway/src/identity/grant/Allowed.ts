import type { Bound } from "@tollgate/contract/Operation"
import { accountBalance } from "@tollgate/contract/operations/accountBalance"
import { accountPrices } from "@tollgate/contract/operations/accountPrices"
import { taskGet } from "@tollgate/contract/operations/taskGet"
import { usage } from "@tollgate/contract/operations/usage"
import type { Allows, TokenGrant } from "@tollgate/ledger/credential/Keys"
import { amountOrNull, type Row, textOrNull } from "@tollgate/ledger/store/rows"

/** The categories and operations that a grant allows, as they are chosen, stored and shown. */
export interface Allowed {
  readonly categories: ReadonlyArray<string>
  readonly operations: ReadonlyArray<string>
}

export const writeAllowed = (allowed: Allowed | null): string | null =>
  allowed === null ? null : JSON.stringify(allowed)

export const readAllowed = (text: string | null): Allowed | null =>
  text === null ? null : (JSON.parse(text) as Allowed)

/** What the path checks of a row of `grants`. */
export const checkedTerms = (row: Row): Pick<TokenGrant, "allows" | "askAbove"> => {
  const allowed = readAllowed(textOrNull(row, "allows"))
  return {
    allows:
      allowed === null
        ? undefined
        : { categories: new Set(allowed.categories), operations: new Set(allowed.operations) },
    askAbove: amountOrNull(row, "ask_above") ?? undefined
  }
}

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
