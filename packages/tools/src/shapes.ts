import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import type { Attached } from "./media.ts"

// What the tools return, as JSON: a field that is undefined is left out.

/** What is left of a limit in this minute. */
interface Window {
  readonly limit: number
  readonly remaining: number | undefined
  /** Unix seconds. */
  readonly reset: number | undefined
}

export interface ToolError {
  readonly code: string
  readonly message: string
  readonly what_to_do: string
  /** Whether the call ran. `unknown`: it may have run and may be charged. */
  readonly outcome: Outcome
  /**
   * `safe`: nothing ran, the same call can be sent again and is not paid twice. `after_change`: nothing ran, change the call first.
   * `same_key_only`: send it again only with the same idempotency_key and arguments. `never`: do not send it again.
   */
  readonly repeat: "safe" | "after_change" | "same_key_only" | "never"
  readonly retry_after_seconds?: number | undefined
  /** The field that is wrong. */
  readonly param?: string | undefined
}

export interface Price {
  readonly estimate_usd: string
  readonly max_usd: string
  readonly estimate_micros_usd: number
  readonly max_micros_usd: number
  readonly price_contract: string
  readonly basis: string
}

export interface Cost {
  /** `none`: not charged. `pending`: charged later. `unknown`: may have been charged. */
  readonly state: Charge["state"]
  readonly usd?: string
  readonly micros_usd?: number
}

export interface AvailableSpending {
  readonly usd: string
  /** The limit that is reached first. */
  readonly of: "account" | `${"grant" | "key"}${"" | "_this_day" | "_this_month"}`
}

export interface Used {
  readonly operation_id: string
  /** The HTTP status of the answer. */
  readonly status?: number
  readonly content_type?: string
  /** `events`: the data of each event of a stream. `block`: a block of this result. */
  readonly body_encoding?: "json" | "text" | "events" | "block"
  readonly body?: unknown
  /** `body` has a part of the answer. */
  readonly truncated?: boolean
  readonly note?: string
  /** The stored answer of an earlier call with this idempotency key. */
  readonly replayed?: boolean
  readonly task?: {
    readonly task_id: string
    readonly status: string
    readonly done: boolean
    /** A free operation to use until `done` is true. */
    readonly next?: { readonly operation_id: string; readonly arguments: Readonly<Record<string, string>> }
  }
  readonly cost?: Cost
  readonly left?: AvailableSpending | undefined
  readonly limited_by_cap?: boolean
  readonly price?: Price
  readonly error?: ToolError
  readonly request_id?: string
  /** What is left of the key's limits in this minute. */
  readonly limits?: { readonly requests: Window | undefined; readonly tokens: Window | undefined }
  /** The pictures, sounds, files and addresses of `body`. Clients get them as blocks. */
  readonly attached?: ReadonlyArray<Attached>
}

export interface Batch {
  /** One for each call, in the order of the calls. */
  readonly results: ReadonlyArray<Used>
  readonly succeeded: number
  readonly failed: number
  readonly charged_usd: string
  /** The most that calls whose charge is not known yet may cost. */
  readonly held_usd: string
  readonly left?: AvailableSpending | undefined
  readonly error?: ToolError
}
