import { fromJsonSchema } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import * as declared from "@tollgate/contract/errors/Family"
import { usd } from "@tollgate/contract/Money"
import * as Operation from "@tollgate/contract/Operation"
import * as limits from "@tollgate/contract/limits"

/** A schema that takes any JSON, as an operator describes an answer or a body. */
export const anyJson = fromJsonSchema({ schema: true, definitions: {} })

export const anyObject = fromJsonSchema({ schema: { type: "object" }, definitions: {} })

/** An operation as an operator adds it, priced per call. */
export const customOperation = (
  own: Pick<Operation.Operation, "id" | "method" | "path"> & Partial<Operation.Operation>
): Operation.Operation =>
  Operation.make({
    category: "weather",
    summary: "An operation of the operator's own",
    request: {},
    success: anyJson,
    errors: declared.billed,
    family: "data",
    price: { contract: "per_request", amount: usd("0.001") },
    limit: limits.standard,
    replay: "billed",
    upstream: "managed",
    ...own
  })
