import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import * as declared from "@tollgate/contract/errors/declared"
import { type Family, families } from "@tollgate/contract/errors/Family"
import { Typed } from "@tollgate/contract/Open"
import * as Operation from "@tollgate/contract/Operation"
import { AnyQuery } from "@tollgate/contract/Query"
import { limits } from "@tollgate/contract/Tier"
import * as Schema from "effect/Schema"

const isFamily = (name: string): name is Family => (families as ReadonlyArray<string>).includes(name)

const methods = { GET: "GET", POST: "POST", PATCH: "PATCH" } as const
const methodOf = (name: string): Operation.Method => (name in methods ? methods[name as Operation.Method] : "POST")

/** An operation that the client has no function for, because the operator added it. */
export const ownOperation = (offered: OfferedOperation): Operation.Operation => {
  const method = methodOf(offered.method)
  const parts = new Set(Object.values(offered.parts))
  return Operation.make({
    id: offered.id,
    category: "account",
    summary: offered.summary,
    method,
    path: offered.path,
    request: {
      ...(parts.has("path") ? { path: Schema.Record(Schema.String, Schema.String) } : {}),
      ...(method === "GET" || parts.has("query") ? { query: AnyQuery } : {}),
      ...(method === "GET" ? {} : { body: Typed<object>() })
    },
    success: Typed<object>(),
    errors: declared.billed,
    family: isFamily(offered.family) ? offered.family : "data",
    // The gateway knows the price. The client only asks whether an answer may be paid twice, which `replay` says.
    price: { contract: "free" },
    limit: limits.standard,
    replay: offered.replay,
    upstream: "managed"
  })
}
