import { layer } from "@tollgate/browser"
import type { Client } from "@tollgate/client/Client"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { useSyncExternalStore } from "react"
import { baseUrl } from "../../session/gateway.ts"

/** A client with the admin token. Somebody may paste an API key instead: the gateway refuses it, in words. */
export const operatorClient = (token: string, retries?: number): Layer.Layer<Client> =>
  layer({
    baseUrl,
    credential: Redacted.make(token),
    allowKeyInPage: true,
    pace: false,
    ...(retries === undefined ? {} : { retries })
  })

const listeners = new Set<() => void>()
// In memory only: a reload forgets it. It stays while other pages of the console are open.
let client: Layer.Layer<Client> | undefined

const set = (next: Layer.Layer<Client> | undefined): void => {
  client = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const signInOperator = (token: string): void => set(operatorClient(token))
export const signOutOperator = (): void => set(undefined)

/** The operator's client, if the operator is signed in. */
export const useOperatorClient = (): Layer.Layer<Client> | undefined => useSyncExternalStore(subscribe, () => client)
