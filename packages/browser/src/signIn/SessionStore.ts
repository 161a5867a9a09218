import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Server } from "./Server.ts"
import type { Tokens } from "./TokenEndpoint.ts"
import { SignedOut } from "./errors.ts"
import type { Options } from "./Options.ts"
import type { Page } from "./Page.ts"

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

const messages: Readonly<Record<SignedOut["why"], string>> = {
  absent: "Nobody is signed in.",
  ended: "The server renews this sign-in no longer.",
  left: "The user has signed out."
}

export interface SessionStore {
  readonly get: () => Session | undefined
  readonly put: (session: Session) => void
  readonly drop: (why: SignedOut["why"]) => void
  readonly signedOut: () => SignedOut
}

const inMemory = (): SessionStore => {
  let session: Session | undefined
  let why: SignedOut["why"] = "absent"
  return {
    get: () => session,
    put: (next) => (session = next),
    drop: (reason) => {
      session = undefined
      why = reason
    },
    signedOut: () => new SignedOut({ why, message: messages[why] })
  }
}

const attempt = <A>(action: () => A): A | undefined => {
  try {
    return action()
  } catch {
    return undefined
  }
}

/**
 * Falls back to memory if the browser allows no storage. A duplicated tab has the same tokens, and a refresh token works
 * once, so a tab sends each renewal to its copies.
 */
const inStorage = (page: Page, name: string): SessionStore => {
  const memory = inMemory()
  let isOpen = false
  let channel: ReturnType<Page["channel"]> | undefined

  const keep = (session: Session) => {
    memory.put(session)
    attempt(() => page.storage().setItem(name, encode(session)))
  }

  const open = () => {
    if (isOpen) return
    isOpen = true
    const stored = attempt(() => decode(page.storage().getItem(name)))
    if (stored !== undefined) memory.put(stored)
    channel = attempt(() => page.channel(name))
    if (channel === undefined) return
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      const received = decode(data)
      const current = memory.get()
      if (received !== undefined && received.id === current?.id && received.renewals > current.renewals) keep(received)
    }
  }

  return {
    get: () => {
      open()
      return memory.get()
    },
    put: (session) => {
      open()
      keep(session)
      attempt(() => channel?.postMessage(encode(session)))
    },
    drop: (why) => {
      open()
      memory.drop(why)
      attempt(() => page.storage().removeItem(name))
    },
    signedOut: memory.signedOut
  }
}

export const make = (page: Page, { clientId, keep }: Options): SessionStore =>
  keep === "sessionStorage" ? inStorage(page, `tollgate.signIn.${clientId}`) : inMemory()
