import type { Client } from "@tollgate/client/Client"
import type * as Layer from "effect/Layer"
import { useSyncExternalStore } from "react"
import { beginSession, clientOf, endSession, type NotBegun } from "./cookie.ts"
import { forget, keep, kept, onOtherTab } from "./kept.ts"

/** Who is signed in as the operator, and why nobody is any more. */
interface State {
  readonly session?: { readonly id: string; readonly client: Layer.Layer<Client> }
  readonly ended?: string
}

const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const ended = "You are signed out. The session has ended, or the gateway has another admin token now."

const stateOf = (id: string): State => ({
  session: {
    id,
    client: clientOf(id, {
      pace: false,
      afterResponse: ({ status }) => {
        if (status !== 401 || state.session?.id !== id) return
        forget("operator", id)
        set({ ended })
      }
    })
  }
})

const set = (next: State): void => {
  state = next
  for (const listener of listeners) listener()
}

const before = kept("operator")
let state: State = before === undefined ? {} : stateOf(before.id)

onOtherTab("operator", (kept) => {
  if (kept === undefined) set({})
  else if (kept.id !== state.session?.id) set(stateOf(kept.id))
})

/** Hands the admin token over for a session. Succeeds with why there is none. */
export const signInOperator = async (token: string): Promise<NotBegun | undefined> => {
  const id = await beginSession("operator", token)
  if (typeof id !== "string") return id
  keep("operator", { id, by: "key" })
  set(stateOf(id))
  return undefined
}

export const signOutOperator = (): void => {
  const { session } = state
  set({})
  if (session === undefined) return
  forget("operator", session.id)
  void endSession("operator", session.id)
}

export const useOperator = (): State => useSyncExternalStore(subscribe, () => state)
