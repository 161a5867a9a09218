import { useEffect, useState, useSyncExternalStore } from "react"
import { type Cell, makeCell } from "./Cell.ts"

/** The component's own cell and its state. What runs in it ends when the component unmounts. */
export const useCell = <S>(idle: S, stopped: (state: S) => S): readonly [S, Cell<S>] => {
  const [cell] = useState(() => makeCell(idle, stopped))
  const state = useSyncExternalStore(cell.subscribe, cell.read, cell.read)
  useEffect(() => cell.stop, [cell])
  return [state, cell]
}
