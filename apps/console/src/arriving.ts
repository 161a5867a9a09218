import { useSyncExternalStore } from "react"

const probeMillis = 1_000

const listeners = new Set<() => void>()
let waiting = 0

const wait = (change: 1 | -1): void => {
  waiting += change
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether a page waits for a gateway that cannot be reached. */
export const useWaiting = (): boolean => useSyncExternalStore(subscribe, () => waiting > 0)

/** A proxy answers for a gateway that is down. */
const isReached = (): Promise<boolean> =>
  fetch(location.href, { method: "HEAD", cache: "no-store" }).then(
    ({ status }) => status < 500,
    () => false
  )

/** Loads the styles again that could not be loaded: Vite asks for each once. */
const loadStyles = async (): Promise<void> => {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')]
  await Promise.all(
    links
      .filter(({ sheet }) => sheet === null)
      .map((link) => {
        const again = document.createElement("link")
        again.rel = "stylesheet"
        again.href = link.href
        return new Promise((resolve, reject) => {
          again.addEventListener("load", resolve)
          again.addEventListener("error", reject)
          link.replaceWith(again)
        })
      })
  )
}

/** Loads the code of a page. If the gateway cannot be reached, it waits until it can. */
export const arriving =
  <A>(load: () => Promise<A>) =>
  async (): Promise<A> => {
    try {
      return await load()
    } catch (error) {
      // There is another version of the console: the router loads the whole page again.
      if (await isReached()) throw error
    }
    wait(1)
    try {
      do await new Promise((resolve) => setTimeout(resolve, probeMillis))
      while (!(await isReached()))
      await loadStyles()
      return await load()
    } finally {
      wait(-1)
    }
  }
