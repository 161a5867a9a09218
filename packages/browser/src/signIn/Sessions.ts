import { SignedOut } from "./errors.ts"
import type { Options } from "./Options.ts"
import type { Page } from "./Page.ts"
import { read, type Session, write } from "./Session.ts"

const messages: Readonly<Record<SignedOut["why"], string>> = {
  absent: "Nobody is signed in.",
  ended: "The server gives no more tokens for this sign-in.",
  left: "The user has signed out."
}

export interface Sessions {
  readonly get: () => Session | undefined
  readonly put: (session: Session) => void
  readonly drop: (why: SignedOut["why"]) => void
  readonly signedOut: () => SignedOut
}

const inMemory = (): Sessions => {
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
 * Where the browser allows no storage it is in memory alone. A tab that is a copy of another has its tokens, too: each
 * tells the other of a renewal, since a refresh token counts once.
 */
const inStorage = (page: Page, place: string): Sessions => {
  const memory = inMemory()
  let opened = false
  let channel: ReturnType<Page["channel"]> | undefined

  const keep = (session: Session) => {
    memory.put(session)
    attempt(() => page.storage().setItem(place, write(session)))
  }

  const open = () => {
    if (opened) return
    opened = true
    const kept = attempt(() => read(page.storage().getItem(place)))
    if (kept !== undefined) memory.put(kept)
    channel = attempt(() => page.channel(place))
    if (channel === undefined) return
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      const told = read(data)
      const own = memory.get()
      if (told !== undefined && told.id === own?.id && told.turn > own.turn) keep(told)
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
      attempt(() => channel?.postMessage(write(session)))
    },
    drop: (why) => {
      open()
      memory.drop(why)
      attempt(() => page.storage().removeItem(place))
    },
    signedOut: memory.signedOut
  }
}

export const make = (page: Page, { clientId, keep }: Options): Sessions =>
  keep === "sessionStorage" ? inStorage(page, `tollgate.signIn.${clientId}`) : inMemory()
