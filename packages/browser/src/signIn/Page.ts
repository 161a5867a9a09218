import * as Effect from "effect/Effect"

type Kept = Pick<Storage, "getItem" | "setItem" | "removeItem">
type Channel = Pick<BroadcastChannel, "postMessage" | "close" | "onmessage">

export interface Popup {
  readonly closed: boolean
  readonly close: () => void
  readonly location: { href: string }
}

/** As much of the browser as signing in needs. */
export interface Page {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly isSecure: () => boolean
  readonly address: () => string
  /** Another address in the address bar, and nothing loaded. */
  readonly rename: (address: string) => void
  /** Leaves for another address. It ends where the user comes back and finds the page as it was. */
  readonly leave: (address: string) => Effect.Effect<void>
  /** Throws where the browser does not allow it. */
  readonly storage: () => Kept
  readonly popup: () => Popup | null
  /** Whether the page could close itself. */
  readonly close: () => boolean
  readonly channel: (name: string) => Channel
  readonly locks: () => Pick<LockManager, "request"> | undefined
}

export const browser: Page = {
  fetch: (url, init) => fetch(url, init),
  isSecure: () => window.isSecureContext,
  address: () => location.href,
  rename: (address) => history.replaceState(history.state, "", address),
  leave: (address) =>
    Effect.callback((resume) => {
      const restored = ({ persisted }: PageTransitionEvent) => {
        if (persisted) resume(Effect.void)
      }
      addEventListener("pageshow", restored)
      location.assign(address)
      return Effect.sync(() => removeEventListener("pageshow", restored))
    }),
  storage: () => sessionStorage,
  popup: () => {
    const popup = open("about:blank", "_blank", "popup,width=480,height=720")
    // The server's page shall not be able to send this one elsewhere.
    if (popup !== null) popup.opener = null
    return popup
  },
  close: () => {
    window.close()
    return window.closed
  },
  channel: (name) => new BroadcastChannel(name),
  locks: () => navigator.locks
}
