import * as Schema from "effect/Schema"
import { sealed } from "../sealed.ts"

/** `until` is in milliseconds. */
export const Code = sealed(
  "code",
  Schema.Struct({
    number: Schema.Int,
    client: Schema.String,
    redirect: Schema.String,
    challenge: Schema.String,
    scope: Schema.String,
    until: Schema.Int
  })
)

const Grant = Schema.Struct({ number: Schema.Int, client: Schema.String, scope: Schema.String, until: Schema.Int })
export type Grant = typeof Grant.Type

export const Access = sealed("access", Grant)
export const Refresh = sealed("refresh", Grant)
