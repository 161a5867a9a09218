import { type RefObject, useLayoutEffect, useRef, useState } from "react"

/** The width of an element in pixels, as it changes. 0 until it is known. */
export const useWidth = <E extends Element>(): readonly [RefObject<E | null>, number] => {
  const element = useRef<E>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return undefined
    setWidth(current.clientWidth)
    const observer = new ResizeObserver(() => setWidth(current.clientWidth))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
