import type { billing as billingRoutes } from "@tollgate/contract/account/Billing"
import { statementCsv } from "@tollgate/contract/account/statementCsv"
import * as Effect from "effect/Effect"
import type { Accounts } from "@tollgate/ledger/account/Accounts"
import type { Billing } from "@tollgate/ledger/account/Billing"
import type { Failure, Handlers } from "../managementApi/ApiRouter.ts"
import { type Caller, needsBalance } from "./Caller.ts"

/** The account's money: for credentials that see its balance. */
export const billingHandlers = (
  billing: Billing["Service"],
  accounts: Accounts["Service"]
): Handlers<typeof billingRoutes, Caller> => {
  const needs = needsBalance(accounts)
  const of = <A>(caller: Caller, read: (account: string) => Effect.Effect<A, Failure>) =>
    Effect.andThen(needs(caller), read(caller.principal.account))
  return {
    balance: (_, caller) => of(caller, billing.balance),
    transactions: ({ query }, caller) => of(caller, (account) => billing.transactions(account, query)),
    statements: (_, caller) => of(caller, billing.statements),
    statement: ({ month }, caller) => of(caller, (account) => billing.statement(account, month)),
    statementCsv: ({ month }, caller) =>
      of(caller, (account) => Effect.map(billing.statement(account, month), statementCsv))
  }
}
