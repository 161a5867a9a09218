import { type RefObject, useCallback, useLayoutEffect, useState } from "react"

export interface RowRange {
  readonly from: number
  readonly to: number
}

/** The range moves by this many rows at once, so that scrolling renders seldom. */
const step = 4

/** The rows of a fixed height that are in view, and some around them. */
export const useRowRange = (scroller: RefObject<HTMLElement | null>, count: number, rowHeight: number) => {
  const [range, setRange] = useState<RowRange>({ from: 0, to: step * 8 })
  const update = useCallback(() => {
    const { current } = scroller
    if (current === null) return
    const first = Math.floor(current.scrollTop / rowHeight / step) * step
    const from = Math.max(0, first - step)
    const to = first + Math.ceil(current.clientHeight / rowHeight / step) * step + step * 2
    setRange((range) => (range.from === from && range.to === to ? range : { from, to }))
  }, [scroller, rowHeight])
  useLayoutEffect(() => {
    update()
    const { current } = scroller
    if (current === null) return undefined
    const observer = new ResizeObserver(update)
    observer.observe(current)
    return () => observer.disconnect()
  }, [scroller, update, count])
  return [{ from: range.from, to: Math.min(count, range.to) }, update] as const
}
