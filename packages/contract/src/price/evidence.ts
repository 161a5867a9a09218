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

/** The facts from an answer that a charge is calculated from. */
export type Evidence =
  | { readonly kind: "request" }
  | { readonly kind: "tokens"; readonly total: number }
  | { readonly kind: "model"; readonly model: string; readonly usage: TokenUsage }
  | { readonly kind: "items"; readonly count: number }
  | { readonly kind: "code"; readonly value: number }
  | { readonly kind: "task"; readonly status: TaskStatus; readonly reported?: NanoUsd }

/** Reads the evidence from a parsed answer. For model tokens and tasks the protocols do this instead. */
export const evidence = (price: Price, answer: unknown): Option.Option<Evidence> => {
  switch (price.contract) {
    case "free":
    case "per_request":
      return Option.some({ kind: "request" })
    case "per_token": {
      const total = count(read(answer, ["usage", "total_tokens"]))
      return total === undefined ? Option.none() : Option.some({ kind: "tokens", total })
    }
    case "response_count": {
      const items = read(answer, [price.items])
      return Array.isArray(items) ? Option.some({ kind: "items", count: items.length }) : Option.none()
    }
    case "body_code": {
      const value = read(answer, [price.field])
      return typeof value === "number" ? Option.some({ kind: "code", value }) : Option.none()
    }
    case "model_tokens":
    case "per_task":
      return Option.none()
  }
}
