import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState
} from "react"
import classes from "./VirtualGrid.module.css"

interface RowRange {
  readonly from: number
  readonly to: number
}

/** The range moves by this many rows at once, so that scrolling renders seldom. */
const step = 4

/** The rows of a fixed height that are in view, and some around them. */
const useRowRange = (scroller: RefObject<HTMLElement | null>, count: number, rowHeight: number) => {
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

export interface VirtualGridProps {
  readonly label: string
  /** The cells of the header, each with the role `columnheader`. */
  readonly head: ReactNode
  readonly count: number
  /** Whether rows may follow that are not loaded. */
  readonly more: boolean
  /** In pixels: all rows are equally high. */
  readonly rowHeight: number
  /** A row with the role `row`. `id` is for its element. */
  readonly row: (index: number, id: string, active: boolean) => ReactNode
  readonly onOpen: (index: number) => void
  /** The last rows are nearly in view. */
  readonly onNearEnd: () => void
  /** Whether the reader is at the top and has chosen no row. */
  readonly onAtTop: (atTop: boolean) => void
  /** Where it was scrolled to before. */
  readonly scrollTop?: number
  readonly onScroll?: (scrollTop: number) => void
}

const nearEnd = 40

const moves: Readonly<Record<string, (index: number, page: number, last: number) => number>> = {
  ArrowUp: (index) => index - 1,
  ArrowDown: (index) => index + 1,
  PageUp: (index, page) => index - page,
  PageDown: (index, page) => index + page,
  Home: () => 0,
  End: (_, __, last) => last
}

/** Any number of rows, of which only those in view are in the document. The arrow keys choose one, Enter opens it. */
export const VirtualGrid = (props: VirtualGridProps) => {
  const { count, head, label, more, onAtTop, onNearEnd, onOpen, onScroll, row, rowHeight } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [{ from, to }, update] = useRowRange(scroller, count, rowHeight)
  const [active, setActive] = useState<number>()
  const rowId = (index: number) => `${label}-${index}`

  // Where the reader was is restored once, when there are rows.
  const restored = useRef(props.scrollTop ?? 0)
  useLayoutEffect(() => {
    if (scroller.current === null || count === 0 || restored.current === 0) return
    scroller.current.scrollTop = restored.current
    restored.current = 0
    update()
  }, [count, update])

  const reading = () => onAtTop((scroller.current?.scrollTop ?? 0) < rowHeight / 2 && active === undefined)
  useEffect(reading)
  useEffect(() => {
    if (more && to > count - nearEnd) onNearEnd()
  }, [more, to, count, onNearEnd])

  const choose = (index: number) => {
    const { current } = scroller
    if (current === null || count === 0) return
    const chosen = Math.min(count - 1, Math.max(0, index))
    setActive(chosen)
    const headHeight = current.firstElementChild?.clientHeight ?? 0
    const [top, room] = [chosen * rowHeight, current.clientHeight - headHeight]
    if (top < current.scrollTop) current.scrollTop = top
    else if (top + rowHeight > current.scrollTop + room) current.scrollTop = top + rowHeight - room
    update()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    const move = moves[event.key]
    if (event.key === "Escape") setActive(undefined)
    if (event.key === "Enter" && active !== undefined) onOpen(active)
    if (move === undefined) return
    event.preventDefault()
    const { clientHeight = 0, scrollTop = 0 } = scroller.current ?? {}
    const firstInView = Math.floor(scrollTop / rowHeight)
    if (active === undefined && event.key !== "Home" && event.key !== "End") choose(firstInView)
    else choose(move(active ?? firstInView, Math.floor(clientHeight / rowHeight) - 1, count - 1))
  }
  return (
    <div
      ref={scroller}
      className={classes["grid"]}
      role="grid"
      aria-label={label}
      // Row 1 is the header. -1: nobody knows how many there are.
      aria-rowcount={more ? -1 : count + 1}
      aria-activedescendant={active === undefined || active < from || active >= to ? undefined : rowId(active)}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={() => setActive(undefined)}
      onScroll={({ currentTarget }) => {
        update()
        reading()
        onScroll?.(currentTarget.scrollTop)
      }}
    >
      <div role="rowgroup" className={classes["head"]}>
        <div role="row" aria-rowindex={1}>
          {head}
        </div>
      </div>
      <div role="rowgroup" style={{ height: count * rowHeight }}>
        <div role="presentation" style={{ transform: `translateY(${from * rowHeight}px)` }}>
          {Array.from({ length: Math.max(0, to - from) }, (_, i) =>
            row(from + i, rowId(from + i), from + i === active)
          )}
        </div>
      </div>
    </div>
  )
}
