import { familyOf } from "@tollgate/contract/errors/families"
import type { Decoded } from "../exchange/Exchange.ts"
import * as ApiKey from "@tollgate/ledger/credential/ApiKey"
import { parseQuery } from "../internal/query.ts"

/** The query as sent, without credentials: the family's parameter for it, and a key of this gateway under any name. */
export const forwardedQuery = ({ operation, query }: Pick<Decoded, "operation" | "query">): string =>
  query
    .split("&")
    .filter((part) => {
      const parsed = parseQuery(part)
      if (parsed === undefined) return false
      for (const [name, value] of parsed) {
        if (name === familyOf(operation).keyParameter || ApiKey.isWellFormed(value)) return false
      }
      return true
    })
    .join("&")
