import type { Bound, Operation, Replay } from "@tollgate/contract/Operation"
import { limitsOf, pendingOf, replays } from "@tollgate/contract/reference/words"
import type { Model } from "../../../exchange/Models.ts"
import { isAcceptedBy } from "../../../exchange/Models.ts"
import type { PriceBook } from "../../../exchange/Prices.ts"
import { exampleOf } from "./example.ts"
import { inputSchema } from "./inputSchema.ts"
import { listPrice } from "./price.ts"
import { type PriceDetails, priceDetails } from "./priceDetails.ts"

export interface OperationDetails {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly category: string
  readonly method: string
  readonly path: string
  /** The JSON Schema of `arguments`. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Arguments that the operation accepts. */
  readonly example: Readonly<Record<string, unknown>>
  readonly price: PriceDetails
  readonly limits: {
    readonly words: string
    /** Operations of one group share its limit. */
    readonly group: string
    readonly requestsPerMinute?: number | "upstream"
    readonly countsTokens: boolean
    readonly countsConcurrency: boolean
    readonly tasks?: number
    readonly maxBodyBytes?: number
  }
  readonly replay: { readonly class: Replay; readonly words: string }
  /** Whether it can also answer as a stream. */
  readonly streams: boolean
  /** `pending`: the parts in `pending` are not defined; what is sent there passes through unchanged. */
  readonly state: "complete" | "pending"
  readonly pending: ReadonlyArray<string>
}

const modelOf = ({ id }: Bound, { models: priced }: PriceDetails, models: ReadonlyArray<Model>): string | undefined =>
  priced[0]?.model ?? models.find((model) => model.operations !== undefined && isAcceptedBy(model, id))?.id

/** `described` is the operation before it was bound. */
export const detailsOf = (
  operation: Bound,
  described: Operation,
  prices: PriceBook,
  models: ReadonlyArray<Model>
): OperationDetails => {
  const { description, limit, request } = operation
  const price = priceDetails(listPrice(operation, prices, models))
  const groupLimits = limitsOf(limit)
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...(description === undefined ? {} : { description }),
    category: operation.category,
    method: operation.method,
    path: operation.path,
    inputSchema: inputSchema(operation),
    example: exampleOf(operation, described, modelOf(operation, price, models)),
    price,
    limits: {
      words: `the tier's calls per minute${groupLimits === "" ? "" : `; in addition ${groupLimits}`}`,
      group: limit.id,
      ...(limit.rpm === undefined ? {} : { requestsPerMinute: limit.rpm }),
      countsTokens: limit.tokens,
      countsConcurrency: limit.concurrency,
      ...(limit.tasks === undefined ? {} : { tasks: limit.tasks }),
      ...(request.body === undefined ? {} : { maxBodyBytes: operation.bodyLimit })
    },
    replay: { class: operation.replay, words: replays[operation.replay] },
    streams: operation.event !== undefined,
    state: operation.pending.length === 0 ? "complete" : "pending",
    pending: operation.pending.map((part) => pendingOf({ ...operation, pending: [part] }, operation))
  }
}
