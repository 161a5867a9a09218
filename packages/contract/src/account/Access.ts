import * as Schema from "effect/Schema"
import * as Api from "../Api.ts"
import { Amount, Flag, Micros, Text, TextOrNull, Time, UtcTime } from "./Amount.ts"

/** Names of categories and ids of operations. */
export const AllowedOperations = Schema.Struct({
  categories: Schema.Array(Schema.String).annotate({ description: "All operations of these categories." }),
  operations: Schema.Array(Schema.String).annotate({ description: "These operations." })
}).annotate({ identifier: "AllowedOperations" })
export interface AllowedOperations extends Schema.Schema.Type<typeof AllowedOperations> {}

/** An app with access. */
export const GivenGrant = Schema.Struct({
  id: Schema.String,
  client_id: Schema.String,
  client_name: Schema.String,
  machine: Flag("Whether it is a service account, which the operator made. It has no person who could be asked."),
  returns_to: TextOrNull("The host to which it returned with its last sign-in."),
  scopes: Schema.Array(Schema.String),
  created_at: Time,
  ends_at: Time,
  last_used_at: Schema.NullOr(Time).annotate({ description: "The day of its last billed call." }),
  ended: Schema.Boolean,
  own: Flag("Whether the asking credential belongs to this grant."),
  spent_micros_usd: Amount,
  spent_today_micros_usd: Amount,
  limit_micros_usd: Schema.NullOr(Amount),
  day_limit_micros_usd: Schema.NullOr(Amount),
  ask_above_micros_usd: Schema.NullOr(Amount).annotate({ description: "A call that can cost more needs approval." }),
  allowed: Schema.NullOr(AllowedOperations).annotate({ description: "What it may call. `null`: everything." })
}).annotate({ identifier: "GivenGrant" })
export interface GivenGrant extends Schema.Schema.Type<typeof GivenGrant> {}

export const GivenGrants = Schema.Struct({
  grants: Schema.Array(GivenGrant),
  spent_micros_usd: Amount.annotate({ description: "Of all grants, also those that are not listed." }),
  spent_today_micros_usd: Amount
})
export interface GivenGrants extends Schema.Schema.Type<typeof GivenGrants> {}

export const newLimit = (description: string) =>
  Schema.optionalKey(Schema.NullOr(Micros).annotate({ description: `${description}. \`null\`: no limit.` }))

/** Terms of a grant. Those that are left out stay. `null` removes a limit, and allows everything. */
export const GrantTerms = Schema.Struct({
  limit_micros_usd: newLimit("The most that it may spend"),
  day_limit_micros_usd: newLimit("The most that it may spend in a day"),
  ask_above_micros_usd: newLimit("The amount above which a call needs approval"),
  allowed: Schema.optionalKey(Schema.NullOr(AllowedOperations)),
  ends_at: Schema.optionalKey(UtcTime.annotate({ description: "When it ends." }))
})
export interface GrantTerms extends Schema.Schema.Type<typeof GrantTerms> {}

export const grants = {
  grants: Api.get("/grants", {
    summary: "The apps with access by OAuth, one grant each",
    description: "A limited key cannot see them.",
    success: GivenGrants,
    scope: "grants"
  }),
  changeGrant: Api.patch("/grants/{id}", {
    summary: "Changes the given terms of a grant, at once",
    description:
      "It needs an unlimited key. Of access tokens, only the console's can do it, and not for its own grant.",
    body: GrantTerms,
    success: GivenGrant,
    conflicts: true,
    example: { body: { day_limit_micros_usd: 1_000_000, ask_above_micros_usd: null } }
  }),
  revokeGrant: Api.post("/grants/{id}/revoke", {
    summary: "Revokes a grant, at once",
    description: "It needs what the list of grants needs. A token can always revoke its own grant.",
    body: Api.NoFields,
    success: GivenGrant
  })
} as const

/** The linked account of the key. */
export const LinkState = Schema.Struct({
  available: Flag("Whether this gateway knows a platform to link to."),
  platform: Text("The operator's name of the platform."),
  offered_scopes: Schema.Array(Schema.String).annotate({ description: "What a person can allow." }),
  linked: Schema.Boolean,
  scopes: Schema.Array(Schema.String),
  linked_at: Schema.NullOr(Time)
}).annotate({ identifier: "LinkState" })
export interface LinkState extends Schema.Schema.Type<typeof LinkState> {}

export const link = {
  linkState: Api.get("/link", {
    summary: "Whether an account of the platform is linked, and with which scopes",
    success: LinkState,
    scope: "usage"
  }),
  unlink: Api.post("/link/remove", {
    summary: "Removes the linked account. The platform is not told",
    body: Api.NoFields,
    success: LinkState,
    scope: "use"
  })
} as const

export const StartedTask = Schema.Struct({
  id: Schema.String,
  call: Text("The request id of the call that started it."),
  operation: Schema.String,
  status: Schema.String,
  state: Schema.Literals(["running", "settled", "released", "unknown"]),
  created_at: Time,
  ended_at: Schema.NullOr(Time),
  reserved_micros_usd: Amount,
  charged_micros_usd: Amount
}).annotate({ identifier: "StartedTask" })
export interface StartedTask extends Schema.Schema.Type<typeof StartedTask> {}

export const StartedTasks = Schema.Struct({ tasks: Schema.Array(StartedTask) })
export interface StartedTasks extends Schema.Schema.Type<typeof StartedTasks> {}

export const tasks = {
  tasks: Api.get("/tasks", {
    summary: "The last 200 tasks of the account, the newest first. Ended tasks stay as long as they can be polled",
    description: "A limited key sees only the tasks that it started.",
    success: StartedTasks,
    scope: "usage"
  })
} as const
