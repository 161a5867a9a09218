import type { NanoUsd } from "../Money.ts"
import type { TaskStatus } from "../Task.ts"
import type { Part, TokenUsage, Used } from "./TokenKind.ts"

export type { TokenUsage }

/** No call uses more tokens of one kind. A larger count is an upstream's error, and its price would fit no ledger. */
const maxTokens = 1_000_000_000

/** A count of tokens, or of other units, that an upstream can have meant. */
export const isTokenCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= maxTokens

/** What a model used, and whatever else ran with it. */
export interface ModelEvidence extends Used {
  readonly kind: "model"
  /** The model whose price is due. */
  readonly model: string
  /** The model that answered, as it names itself. */
  readonly served?: string | undefined
  /** Output that the caller does not see, as reported. It is part of the output, and not recorded. */
  readonly reasoning?: number | undefined
  /** Other runs in the same call, each due at its own model's price. */
  readonly parts?: ReadonlyArray<Part>
  /** What was reported and has no price, by the names of fields. It is charged at the nearest price. */
  readonly gaps?: ReadonlyArray<string>
  readonly isEstimate?: true
}

/** The facts from an answer that a charge is calculated from. `isEstimate`: counted, because the answer does not report it. */
export type Evidence =
  /** `times`: how often a fixed amount is due, as the request says. */
  | { readonly kind: "request"; readonly times?: { readonly count: number; readonly unit: string } }
  | { readonly kind: "tokens"; readonly total: number; readonly isEstimate?: true }
  | ModelEvidence
  | { readonly kind: "items"; readonly count: number }
  | { readonly kind: "units"; readonly count: number; readonly isEstimate?: true }
  /** What the upstream says that the call cost, as written. Missing: nobody saw it, and the most is due. */
  | { readonly kind: "cost"; readonly reported?: string; readonly isEstimate?: true }
  | { readonly kind: "code"; readonly value: number }
  /** The answer reports that the call failed, in spite of its status. It costs nothing. */
  | { readonly kind: "failed" }
  /** `times`: the units that the finished task reports, in digits, where it is priced by them. */
  | {
      readonly kind: "task"
      readonly status: TaskStatus
      readonly reported?: NanoUsd
      readonly times?: { readonly count: string; readonly unit: string }
      readonly isEstimate?: true
    }
