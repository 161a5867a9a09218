import * as Schema from "effect/Schema"
import * as Api from "../Api.ts"

const rate = {
  limit: Schema.Int,
  remaining: Schema.Int,
  full_at: Schema.Int.annotate({ description: "Unix milliseconds at which all of it is available again." })
}

export const RateState = Schema.Struct(rate).annotate({ identifier: "RateState" })
export interface RateState extends Schema.Schema.Type<typeof RateState> {}

const Running = Schema.Struct({ limit: Schema.Int, running: Schema.Int })

export const LimitState = Schema.Struct({
  now: Schema.Int.annotate({ description: "Unix milliseconds by the gateway's clock." }),
  requests: RateState,
  tokens: RateState,
  concurrency: Running,
  groups: Schema.Array(Schema.Struct({ id: Schema.String, ...rate })).annotate({
    description: "Operations with their own limit, if one was called lately."
  }),
  tasks: Running
}).annotate({ identifier: "LimitState" })
export interface LimitState extends Schema.Schema.Type<typeof LimitState> {}

export const limits = {
  limitState: Api.get("/limits", {
    summary: "The key's limits and what is left of them",
    success: LimitState,
    scope: "usage"
  })
} as const
