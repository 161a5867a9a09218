import * as Option from "effect/Option"
import type { NanoUsd } from "../Money.ts"
import type { TaskStatus } from "../Task.ts"
import { count, read } from "../internal/exact.ts"
import type { Price } from "./Price.ts"

export interface TokenUsage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** No call uses more tokens of one kind. A larger count is an upstream's error, and its price would fit no ledger. */
const maxTokens = 1_000_000_000

/** A count of tokens that an upstream can have meant. */
export const isTokenCount = (value: unknown): value is number => {
  const tokens = count(value)
  return tokens !== undefined && tokens <= maxTokens
}

/** A count of units that an upstream can have meant. */
const isUnitCount = isTokenCount

/** The facts from an answer that a charge is calculated from. `isEstimate`: counted, because the answer does not report it. */
export type Evidence =
  /** `times`: how often a fixed amount is due, as the request says. */
  | { readonly kind: "request"; readonly times?: { readonly count: number; readonly unit: string } }
  | { readonly kind: "tokens"; readonly total: number; readonly isEstimate?: true }
  | { readonly kind: "model"; readonly model: string; readonly usage: TokenUsage; readonly isEstimate?: true }
  | { readonly kind: "items"; readonly count: number }
  | { readonly kind: "units"; readonly count: number; readonly isEstimate?: true }
  | { readonly kind: "code"; readonly value: number }
  /** The answer reports that the call failed, in spite of its status. It costs nothing. */
  | { readonly kind: "failed" }
  | { readonly kind: "task"; readonly status: TaskStatus; readonly reported?: NanoUsd }

/** Reads the evidence from a parsed answer. For model tokens and tasks the protocols do this instead. */
export const evidence = (price: Price, answer: unknown): Option.Option<Evidence> => {
  switch (price.contract) {
    case "free":
    case "per_request":
      return Option.some({ kind: "request" })
    case "per_token": {
      const total = read(answer, ["usage", "total_tokens"])
      return isTokenCount(total) ? Option.some({ kind: "tokens", total }) : Option.none()
    }
    case "response_count": {
      const items = read(answer, [price.items])
      return Array.isArray(items) ? Option.some({ kind: "items", count: items.length }) : Option.none()
    }
    case "answer_field": {
      const units = read(answer, price.field)
      return isUnitCount(units) ? Option.some({ kind: "units", count: units }) : Option.none()
    }
    case "body_code": {
      const value = read(answer, [price.field])
      return Number.isSafeInteger(value) ? Option.some({ kind: "code", value: Number(value) }) : Option.none()
    }
    case "model_tokens":
    case "per_task":
      return Option.none()
  }
}
