import { useMemo, useSyncExternalStore } from "react"

/** Whether a media query matches, as it changes. */
export const useMedia = (query: string): boolean => {
  const [subscribe, read] = useMemo(() => {
    const list = matchMedia(query)
    const subscribe = (listener: () => void) => {
      list.addEventListener("change", listener)
      return () => list.removeEventListener("change", listener)
    }
    return [subscribe, () => list.matches] as const
  }, [query])
  return useSyncExternalStore(subscribe, read)
}
