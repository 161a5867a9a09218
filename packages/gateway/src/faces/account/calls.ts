import { IntFromQuery } from "@tollgate/contract/Query"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { decode } from "../../internal/decode.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { CallLog } from "../../books/usage/CallLog.ts"
import type { Usage } from "../../books/usage/Usage.ts"
import { get, ok, type Query, type Route } from "../admin/Route.ts"
import { type Caller, needs, ownerOfCalls } from "./Caller.ts"

const Name = Schema.String.check(Schema.isPattern(/^[\s\S]{1,300}$/, { expected: "1 to 300 characters" }))

export const CallsQuery = Schema.Struct({
  limit: Schema.optionalKey(IntFromQuery.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))),
  before: Schema.optionalKey(Name),
  since: Schema.optionalKey(IntFromQuery.check(Schema.isGreaterThanOrEqualTo(0))),
  key: Schema.optionalKey(Name),
  operation: Schema.optionalKey(Name),
  model: Schema.optionalKey(Name),
  state: Schema.optionalKey(
    Schema.Literals(["open", "running", "settled", "released", "refused", "unknown", "written_off", "replayed"])
  ),
  cost_state: Schema.optionalKey(Schema.Literals(["settled", "estimated"])),
  status: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[1-5](?:\d\d|xx)$/, { expected: "a status, or a class such as 4xx" }))
  ),
  tag: Schema.optionalKey(Name)
})

export const SeriesQuery = Schema.Struct({
  start_time: IntFromQuery,
  end_time: Schema.optionalKey(IntFromQuery),
  width: Schema.optionalKey(Schema.Literals(["1h", "1d"]))
})

export const TagUsageQuery = Schema.Struct({ ...SeriesQuery.fields, tag: Schema.optionalKey(Name) })

// A name that is not known is likely a typo, which would show more than was asked for.
const strict = { onExcessProperty: "error" } as const

/** The parameters of a query, or what is wrong with them. */
export const parametersOf = <S extends Schema.Constraint>(schema: S, query: Query): Effect.Effect<S["Type"], Refused> =>
  Effect.fromResult(decode(schema, Object.fromEntries(query), strict, "parameter"))

export const callRoutes = (caller: Caller, log: CallLog["Service"]): ReadonlyArray<Route> => {
  const owner = ownerOfCalls(caller)
  return [
    get("/calls", (_, query) =>
      parametersOf(CallsQuery, query).pipe(
        Effect.flatMap((query) => log.calls(owner, query)),
        Effect.map(ok),
        needs(caller, "usage")
      )
    ),
    get("/calls/:id", (id) => log.story(owner, id).pipe(Effect.map(ok), needs(caller, "usage")))
  ]
}

export const usageRoutes = (caller: Caller, usage: Usage["Service"]): ReadonlyArray<Route> => [
  get("/usage", (_, query) =>
    parametersOf(SeriesQuery, query).pipe(
      Effect.flatMap((query) => usage.series(ownerOfCalls(caller), query)),
      Effect.map(ok),
      needs(caller, "usage")
    )
  ),
  get("/usage/tags", (_, query) =>
    parametersOf(TagUsageQuery, query).pipe(
      Effect.flatMap((query) => usage.byTag(ownerOfCalls(caller), query)),
      Effect.map(ok),
      needs(caller, "usage")
    )
  )
]
