import * as Effect from "effect/Effect"

type TabStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">
type Channel = Pick<BroadcastChannel, "postMessage" | "close" | "onmessage">

export interface Popup {
  readonly closed: boolean
  readonly close: () => void
  readonly location: { href: string }
}

/** The browser functions that sign-in uses. */
export interface Page {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly isSecure: () => boolean
  readonly address: () => string
  /** Changes the address bar without loading anything. */
  readonly replaceAddress: (address: string) => void
  /** Navigates to another address. The effect ends only if the browser restores this page when the user goes back. */
  readonly navigate: (address: string) => Effect.Effect<void>
  /** Throws if the browser does not allow it. */
  readonly storage: () => TabStorage
  readonly popup: () => Popup | null
  /** Returns whether the page could close itself. */
  readonly close: () => boolean
  readonly channel: (name: string) => Channel
  readonly locks: () => Pick<LockManager, "request"> | undefined
}

export const browser: Page = {
  fetch: (url, init) => fetch(url, init),
  isSecure: () => window.isSecureContext,
  address: () => location.href,
  replaceAddress: (address) => history.replaceState(history.state, "", address),
  navigate: (address) =>
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
    // Without an opener, the server's page cannot navigate this page.
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
