import type { Amount } from "./Amount.ts"

/** A program that was let in: `GET /account/v1/grants`. */
export interface GivenGrant {
  readonly id: string
  readonly client_id: string
  readonly client_name: string
  readonly scopes: ReadonlyArray<string>
  readonly created_at: string
  readonly ends_at: string
  /** The day of its last billed call. */
  readonly last_used_at: string | null
  readonly ended: boolean
  /** Whether the asking credential belongs to this grant. */
  readonly own: boolean
  readonly spent_micros_usd: Amount
  readonly limit_micros_usd: Amount | null
}

export interface GivenGrants {
  readonly grants: ReadonlyArray<GivenGrant>
}

/** The linked account of the key: `GET /account/v1/link`. */
export interface LinkState {
  /** Whether this gateway knows a platform to link to. */
  readonly available: boolean
  /** The operator's name of the platform. */
  readonly platform: string
  readonly linked: boolean
  readonly scopes: ReadonlyArray<string>
  readonly linked_at: string | null
}

/** A task of the key: `GET /account/v1/tasks`, the newest first. */
export interface StartedTask {
  readonly id: string
  /** The request id of the call that started it. */
  readonly call: string
  readonly operation: string
  readonly status: string
  readonly state: "running" | "settled" | "released" | "unknown" | "written_off"
  readonly created_at: string
  readonly ended_at: string | null
  readonly reserved_micros_usd: Amount
  readonly charged_micros_usd: Amount
}

export interface StartedTasks {
  readonly tasks: ReadonlyArray<StartedTask>
}
