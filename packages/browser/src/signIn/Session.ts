import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Server } from "./Server.ts"
import type { Granted } from "./TokenEndpoint.ts"

export interface Session extends Granted {
  readonly server: Server
  /** The same for as long as it is renewed. */
  readonly id: string
  /** How often it was. */
  readonly turn: number
}

const Written = Schema.fromJsonString(
  Schema.Struct({
    access: Schema.String,
    refresh: Schema.optional(Schema.String),
    endsAt: Schema.optional(Schema.Finite),
    renewAt: Schema.optional(Schema.Finite),
    server: Server,
    id: Schema.String,
    turn: Schema.Int
  })
)

/** With the tokens, readable. */
export const write = (session: Session): string =>
  Schema.encodeSync(Written)({
    ...session,
    access: Redacted.value(session.access),
    refresh: session.refresh === undefined ? undefined : Redacted.value(session.refresh)
  })

export const read = (written: unknown): Session | undefined =>
  Option.getOrUndefined(
    Option.map(Schema.decodeUnknownOption(Written)(written), ({ access, endsAt, refresh, renewAt, ...rest }) => ({
      ...rest,
      endsAt,
      renewAt,
      access: Redacted.make(access, { label: "token" }),
      refresh: refresh === undefined ? undefined : Redacted.make(refresh, { label: "token" })
    }))
  )
