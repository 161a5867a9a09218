import * as Schema from "effect/Schema"
import { TextOrNull, Time } from "../account/Amount.ts"
import * as Api from "../Api.ts"

export const UpstreamHealth = Schema.Struct({
  name: Schema.String,
  base_url: Schema.String,
  breaker: Schema.Literals(["closed", "open", "probing", "off"]).annotate({
    description:
      "`closed`: calls are sent. `open`: none is, until `retry_at`. `probing`: one at a time is. `off`: it has no breaker."
  }),
  cause: TextOrNull("Why it is open."),
  retry_at: Schema.NullOr(Time),
  connections: Schema.Struct({ limit: Schema.Int, busy: Schema.Int, waiting: Schema.Int }),
  rpm: Schema.NullOr(Schema.Struct({ limit: Schema.Int, remaining: Schema.Number })),
  routes: Schema.Array(
    Schema.Struct({
      operations: Schema.Array(Schema.String),
      models: Schema.Array(Schema.String).annotate({
        description: "Names, or prefixes that end with `*`. Empty: every model without its own route."
      }),
      weight: Schema.Number
    })
  ).annotate({ description: "What it serves." }),
  tools_left_out: Schema.Array(Schema.Struct({ tool: Schema.String, reason: Schema.String })).annotate({
    description: "Tools of an MCP server that cannot be called, the first 100 of its latest list."
  })
}).annotate({ identifier: "UpstreamHealth" })
export interface UpstreamHealth extends Schema.Schema.Type<typeof UpstreamHealth> {}

export const Upstreams = Schema.Struct({ upstreams: Schema.Array(UpstreamHealth) })
export interface Upstreams extends Schema.Schema.Type<typeof Upstreams> {}

export const upstreams = {
  upstreams: Api.get("/upstreams", { summary: "The upstreams and their state", success: Upstreams })
} as const
