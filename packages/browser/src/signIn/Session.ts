import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Server } from "./Server.ts"
import type { Tokens } from "./TokenEndpoint.ts"

export interface Session extends Tokens {
  readonly server: Server
  /** Stays the same across renewals. */
  readonly id: string
  /** How often the tokens were renewed. */
  readonly renewals: number
}

const StoredSession = Schema.fromJsonString(
  Schema.Struct({
    access: Schema.String,
    refresh: Schema.optional(Schema.String),
    endsAt: Schema.optional(Schema.Finite),
    renewAt: Schema.optional(Schema.Finite),
    server: Server,
    id: Schema.String,
    renewals: Schema.Int
  })
)

/** The text contains the tokens in plain text. */
export const encode = (session: Session): string =>
  Schema.encodeSync(StoredSession)({
    ...session,
    access: Redacted.value(session.access),
    refresh: session.refresh === undefined ? undefined : Redacted.value(session.refresh)
  })

export const decode = (stored: unknown): Session | undefined =>
  Option.getOrUndefined(
    Option.map(Schema.decodeUnknownOption(StoredSession)(stored), ({ access, endsAt, refresh, renewAt, ...rest }) => ({
      ...rest,
      endsAt,
      renewAt,
      access: Redacted.make(access, { label: "token" }),
      refresh: refresh === undefined ? undefined : Redacted.make(refresh, { label: "token" })
    }))
  )
